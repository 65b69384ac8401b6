"""Rows that lean to a side: bounds stay below the cost of any tree, and are better than without."""

import numpy as np
import pytest

from margintree.core.problem import Costs, Problem
from margintree.exact.proofs.kernels.bounds import bound_level
from margintree.exact.proofs.kernels.frame import frame_of
from margintree.exact.proofs.kernels.leaning import (
    bound_widely,
    enlist,
    list_leanings,
    try_way_widely,
    withdraw,
)
from margintree.exact.proofs.kernels.state import IS_WIDE, LOW, MEMBERS, PAID, WIDE_NORM
from margintree.exact.proofs.skeletons import Skeleton
from margintree.exact.proofs.workspace import begin, grid_of, new_desk, new_stack, rows_of

A, B, C = 1, 2, 4
SHAPES = [(A, B), ((A, B), C), (A, (A, B)), ((A, C), (B, C)), ((A, B), (A, B)), (A, (B, (A, B)))]
ALL = 1e6
"""A cutoff that no tree reaches."""


class Bench:
    """A random problem with a shape of trees, and rows that are known to go somewhere."""

    def __init__(self, seed, shape, may_lean=True, n=12, most=60.0):
        self.rng = rng = np.random.default_rng(seed)
        depth = 3
        y = np.arange(n) % 3
        self.problem = Problem.from_data(
            rng.random((n, 2)) + 0.3 * y[:, None],
            y,
            n_classes=3,
            depth=depth,
            costs=Costs(float(rng.choice([1, 5])), float(rng.choice([0.3, 1])), 0.1),
            row_weights=rng.uniform(0.5, 2, n),
            margin_term="squared" if rng.random() < 0.7 else "plain",
        )
        self.rows = rows_of(self.problem, may_lean=may_lean)
        self.frame = frame_of(
            self.rows, *Skeleton(shape, depth).arrays(), grid_of(self.problem, most)
        )
        self.n_splits = int(self.frame.is_split.sum())
        self.stack, self.desk = new_stack(n, self.n_splits, depth), new_desk(n, 3, depth)

    def tree(self):
        """Return the values of random hyperplanes, by node, and where each row ends."""
        problem, rng = self.problem, self.rng
        f = np.zeros((len(self.frame.is_split), problem.n_rows))
        norms = [0.0]
        for node in np.flatnonzero(self.frame.is_split):
            w = rng.normal(size=2) * rng.choice([1.0, 3.0, 8.0])
            f[node] = problem.X @ w
            f[node] -= rng.uniform(f[node].min(), f[node].max())
            norms.append(np.linalg.norm(w))
        ways = [[1] for _ in range(problem.n_rows)]
        for i, way in enumerate(ways):
            while self.frame.is_split[way[-1]]:
                way.append(2 * way[-1] + int(f[way[-1], i] >= 0))
        return f, ways, max(norms)

    def cost(self, f, ways, norm):
        """Return the cost of a tree whose leaves name the classes of the shape."""
        problem = self.problem
        total = problem.margin_price(norm) + problem.costs.splits * self.n_splits
        for i, way in enumerate(ways):
            total += self.frame.least[way[-1], i]
            for node in way[:-1]:
                total += self.rows.pull[i] * max(0.0, 1 - abs(f[node, i]))
        return total

    def pays(self, f, ways):
        """Tell whether every split has rows on both sides that keep the routing margin."""
        for node in np.flatnonzero(self.frame.is_split):
            sides = [f[node, i] for i, way in enumerate(ways) if node in way[:-1]]
            if not sides or min(sides) > 0 or max(sides) < 0 or min(map(abs, sides)) < 1e-3:
                return False
        return True

    def begin(self, places):
        """Let rows be where they are known to go, and compute both bounds."""
        splits = self.problem.costs.splits * self.n_splits
        paid = splits + self.frame.least[1].sum()
        begin(self.stack, self.frame, np.array(places), paid)
        args = self.rows, self.frame, self.stack, self.desk, 0, ALL
        bound_level(*args)
        bound_widely(*args)

    def cell(self, norm):
        return int(np.searchsorted(self.frame.grid, norm)) - 1


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("seed", range(6))
def test_no_tree_costs_less_than_the_bound_of_its_cell(shape, seed):
    """Some rows are known to go where the tree sends them; the others lean or form pairs."""
    bench, checked = Bench(seed, shape), 0
    for _ in range(400):
        f, ways, norm = bench.tree()
        if not bench.pays(f, ways) or norm >= bench.frame.grid[-1]:
            continue
        depths = [bench.rng.integers(len(way)) if bench.rng.random() < 0.5 else 0 for way in ways]
        bench.begin([way[d] for way, d in zip(ways, depths, strict=True)])
        cost = bench.cost(f, ways, norm)
        assert bench.stack.cells[0, 0, bench.cell(norm)] <= cost * (1 + 1e-9)
        for i in np.flatnonzero(np.array(depths) == 0)[:3]:
            bound, _ = try_way_widely(
                bench.rows, bench.frame, bench.stack, bench.desk, 0, i, ways[i][1], ALL
            )
            assert bound <= cost * (1 + 1e-9)
        checked += 1
        if checked == 8:
            break
    assert checked >= 3


def test_rows_that_lean_make_the_bound_better():
    """Nothing is decided: pairs say little where classes overlap, leaning rows say more."""
    lows = []
    for may_lean in (True, False):
        bench = Bench(4, (A, B), may_lean, n=60, most=30.0)
        bench.begin(np.ones(60, dtype=int))
        lows.append(bench.stack.levels[0, LOW] - bench.stack.levels[0, PAID])
    assert lows[0] > 1.2 * lows[1]
    assert not bench.stack.levels[0, IS_WIDE]  # the last one may not let rows lean


@pytest.mark.parametrize("seed", range(6))
def test_a_row_divides_its_error_among_its_splits(seed):
    """All boxes together, times the farthest values there may be, cost no more than the error.

    A class that is named on both sides leans nowhere.
    """
    bench = Bench(seed, ((A, B), (B, C)))
    bench.begin(np.ones(12, dtype=int))
    rows, frame, desk = bench.rows, bench.frame, bench.desk
    for i in range(12):
        count = list_leanings(rows, frame, bench.stack, desk, 0, i, 1)
        assert count == (0 if rows.y[i] == 1 else 2)
        most = 1 + frame.grid[-1] * rows.reaches[i]
        error = bench.problem.error_prices[i].max()
        assert desk.path_boxes[:count].sum() * most <= error * (1 + 1e-12)
        assert (desk.path_boxes[:count] <= rows.pull[i]).all()


@pytest.mark.parametrize("seed", range(10))
def test_a_row_that_leaves_takes_its_dual_with_it(seed):
    """Afterwards the dual variables still add up to 0, have their signs and keep their boxes."""
    bench = Bench(seed, (A, B))
    bench.begin(np.ones(12, dtype=int))
    enlist(bench.rows, bench.frame, bench.stack, bench.desk, 0)
    duals, values = bench.stack.wide_duals[0, 0], bench.stack.wide_values[0, 0]
    busy = np.flatnonzero(duals)
    assert busy.size
    m, desk = desk_size(bench), bench.desk
    i = int(bench.rng.choice(busy))
    norm = bench.stack.levels[0, WIDE_NORM]
    withdraw(bench.rows, desk, 0, m, duals, values, i, norm)
    assert duals[i] == 0
    assert duals.sum() == pytest.approx(0, abs=1e-9)
    members, sides = desk.crew[0, :m], desk.crew_sides[0, :m]
    assert (sides * duals[members] >= 0).all()
    assert (np.abs(duals[members]) <= desk.boxes[0, members] * (1 + 1e-9)).all()
    shifts = values - bench.rows.gram @ duals
    np.testing.assert_allclose(shifts, shifts[0], atol=1e-9)


def desk_size(bench):
    return int(bench.desk.crew_sizes[0, MEMBERS])
