"""Search with many rows: find the structure on a sample, then improve it node by node on all rows.

The weights of a sample are scaled up, so that trees cost about as much on it as on all rows. On all
rows a node is improved as in the small search, but its direction comes from dual coordinate
descent. This needs no inner products, and its time is proportional to the number of rows.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from copy import copy, deepcopy
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from margintree._lib.arrays import BoolArray, FloatArray, IntArray, norm, product
from margintree._lib.svm import solve_by_rows
from margintree.core import topology
from margintree.core.problem import Problem
from margintree.core.rules import used_groups
from margintree.core.tree import ObliqueTree
from margintree.search.margin.growth import SHORT, Split
from margintree.search.margin.kernel_data import to_tree, to_working_tree
from margintree.search.margin.kernels.features import PASSES, columns
from margintree.search.margin.kernels.line_search import best_intercept
from margintree.search.margin.kernels.many_rows import (
    route_costs,
    route_scale,
    route_terminals,
)
from margintree.search.margin.kernels.sweep import cheapest_label, light_terminal, relabel
from margintree.search.margin.kernels.working_tree import (
    KernelData,
    WorkingTree,
    clear_below,
    count_splits,
    lift,
    margin_price,
    price_of_label,
    rows_below,
    splits_price,
)

FIRST_SCALE = 2.0
"""The first norm of hyperplanes: each side of the margin is half as wide as a feature's range."""
SAMPLE_ROWS = 500
"""Rows in a sample for chains: few enough that all inner products fit in the cache."""
LEAST_ROWS = 5
"""Minimum number of rows of every class in a sample, as far as available."""
MANY_ROWS = 1000
"""Problems with more rows than this are searched through a sample."""
STRENGTHS = (1.0, 0.01)
"""Price of violations, relative to the regularity, in the margin problems on all rows."""
DIRECTION_ROWS = 20_000
"""Number of rows on which directions are learnt and compared."""
AXIS_ROWS = 500
"""Number of rows on which single features are compared."""
N_AXES = 2
"""Number of best single features that are tried on all rows."""
MAX_SWEEPS = 50
"""Maximum number of sweeps in a row; the gain is nearly always small much earlier."""
FIRST_SWEEPS = 2
"""Number of sweeps of a new subtree before it is compared with the present one."""
NARROWER = 0.5
"""Factor of the norms at which a tree is tried again when sweeps gain little."""
ENOUGH = 1e-3
"""Least relative gain of a sweep over all rows, or of a new subtree, that is worth it."""
Renew: TypeAlias = Callable[["Refiner", int, IntArray], None]
"""Writes another subtree into a node of a refiner, given the rows that arrive there."""
Each: TypeAlias = Callable[[Callable[[int], Any], Sequence[int]], Iterable[Any]]
"""Applies a function to some nodes, in order or at the same time."""


def sample(
    problem: Problem,
    rows: IntArray,
    is_wrong: BoolArray,
    depth: int,
    rng: np.random.Generator,
    n_rows: int = SAMPLE_ROWS,
) -> Problem:
    """Return the problem of a random sample of about ``n_rows`` of some rows.

    If a tree gets some rows wrong, these make up half of the sample. Every class keeps its weight,
    both among the wrong rows and among the others.
    """
    strata = 2 * problem.y[rows] + is_wrong
    chosen, weights = [], []
    for stratum in np.unique(strata):
        members = rows[strata == stratum]
        share = len(members) / len(rows)
        if is_wrong.any():
            share = (share + stratum % 2 * len(members) / is_wrong.sum()) / 2
        size = min(max(LEAST_ROWS, round(n_rows * share)), len(members))
        drawn = rng.choice(members, size=size, replace=False)
        mass = problem.row_weights[drawn]
        chosen.append(drawn)
        weights.append(mass * (problem.row_weights[members].sum() / mass.sum()))
    drawn, mass = np.concatenate(chosen), np.concatenate(weights)
    order = np.argsort(drawn)
    drawn, mass = drawn[order], mass[order]
    return replace(problem, X=problem.X[drawn], y=problem.y[drawn], row_weights=mass, depth=depth)


class Arrivals(NamedTuple):
    """The rows that arrive at a node, or some of them."""

    rows: IntArray
    X: FloatArray
    left: FloatArray  # the cost of each row if it goes left
    right: FloatArray

    def at_most(self, count: int) -> "Arrivals":
        """Return all of them, or random ones if there are more than a count."""
        if len(self.rows) <= count:
            return self
        some = np.random.default_rng(count).permutation(len(self.rows))[:count]
        return Arrivals(self.rows[some], self.X[some], self.left[some], self.right[some])


class Refiner:
    """Improves a tree on all rows of a large problem, node by node.

    Nodes of one level do not concern each other. ``each`` applies a function to all of them, as
    `map` does, perhaps on several threads.
    """

    def __init__(
        self,
        problem: Problem,
        data: KernelData,
        tree: ObliqueTree,
        is_over: Callable[[], bool] = lambda: False,
        each: Each = map,
    ) -> None:
        self.problem, self.data = problem, data
        self.working = to_working_tree(data, tree)
        self.is_over, self.each = is_over, each
        self.terminals = np.ones(problem.n_rows, dtype=np.int64)
        self.settle()
        self._widen()

    def tree(self) -> ObliqueTree:
        """Return the tree as it is now."""
        return to_tree(self.problem, self.working)

    def price(self) -> float:
        """Return the cost of the tree, with a high price for rows within the routing margin."""
        margin = margin_price(self.data, self.working.scale[0])
        return self._price(self._all_rows, 1) + float(margin)

    @property
    def _all_rows(self) -> IntArray:
        return np.arange(self.problem.n_rows)

    def refine(self, tell: Callable[[], object] = lambda: None, most: int = MAX_SWEEPS) -> None:
        """Sweep until the gain is small, at smaller norms as well; report after every sweep."""
        before = np.inf
        for _ in range(most):
            self.sweep()
            tell()
            now = self.price()
            if now >= before * (1 - ENOUGH) and not self._narrows(now):
                break
            before = min(now, self.price())
            if self.is_over():
                break

    def _narrows(self, before: float) -> bool:
        """Try a smaller norm, which allows fewer places for hyperplanes; tell whether it pays."""
        if self.is_over():
            return False
        kept, terminals = deepcopy(self.working), self.terminals.copy()
        self._rescale(NARROWER)
        self.sweep()
        if self.price() < before * (1 - ENOUGH):
            return True
        self.working, self.terminals = kept, terminals
        return False

    def sweep(self, top: int = 1, turns: bool = True) -> None:
        """Improve every splitting node below a top once, lowest first, then the common norm.

        Unless it ``turns``, hyperplanes keep their directions and get other intercepts only, and
        nothing is pruned.
        """
        depth = self.data.depth + 1 - top.bit_length()
        for level in reversed(range(depth)):
            if self.is_over():
                return
            nodes = range(top << level, (top + 1) << level)
            self._improve([node for node in nodes if self.working.splits[node]], turns)
        if top == 1:
            self._rescale(route_scale(self.data, self.working) / self.working.scale[0])

    def _widen(self) -> None:
        """Choose a norm at which there are places for hyperplanes between rows that are close."""
        scale, gaps = self.working.scale[0], self.data.eps * self.problem.n_rows
        if not self.working.splits.any():
            self._rescale(max(FIRST_SCALE, gaps) / scale)
        elif gaps > scale and self.costs(self._all_rows, 1).max() >= self.data.barrier:
            self._rescale(gaps / scale)

    def _rescale(self, factor: float) -> None:
        for array in (self.working.weights, self.working.intercepts, self.working.scale):
            array *= factor

    def nodes(self) -> list[int]:
        """Return the nodes that split or that may split."""
        splits = self.working.splits
        return [t for t in range(1, len(self.working.intercepts)) if t == 1 or splits[t // 2]]

    def regrow(self, renew: Renew, tops: Collection[int], each: Each = map) -> None:
        """Try new subtrees at some nodes, top down, and keep those that are cheaper."""
        for level in range(1, self.data.depth + 1):
            if self.is_over():
                return
            nodes = [t for t in self.nodes() if t in tops and t.bit_length() == level]
            others = each(partial(self._renewed, renew), nodes)
            for node, other in zip(nodes, others, strict=True):
                if other is not None:
                    kept = deepcopy(self.working)
                    graft(other, self.working, node, node)
                    self.settle()
                    if not self._obeys():
                        self.working = kept
                        self.settle()

    def loss(self, node: int) -> float:
        """Return the cost of the subtree of a node, without the margin term."""
        return self._price(rows_below(self.terminals, node), node)

    def _renewed(self, renew: Renew, node: int) -> WorkingTree | None:
        """Return a copy of the tree with a cheaper subtree at a node, if one is found."""
        rows = rows_below(self.terminals, node)
        before = self._price(rows, node)
        if before <= self.data.split_price or self.is_over():
            return None
        other = copy(self)
        other.working, other.terminals = deepcopy(self.working), self.terminals.copy()
        other.each = map
        renew(other, node, rows)
        other.settle()
        for _ in range(FIRST_SWEEPS):
            other.sweep(node)
        is_cheaper = other._price(rows, node) < before * (1 - ENOUGH)
        return other.working if is_cheaper and other._obeys() else None

    def _price(self, rows: IntArray, node: int) -> float:
        return float(self.costs(rows, node).sum() + splits_price(self.data, self.working, node))

    def settle(self) -> None:
        """Route all rows again and give every leaf with rows its cheapest class."""
        route_terminals(self.data, self.working, self.terminals)
        relabel(self.data, self.working, self.terminals)

    def _improve(self, nodes: Sequence[int], turns: bool) -> None:
        """Give nodes of one level cheaper hyperplanes, with the subtrees below them fixed."""
        changed, splits = False, self.each(partial(self._better_split, turns=turns), nodes)
        for node, split in zip(nodes, splits, strict=True):
            if split is None:
                continue
            before = self.working.weights[node].copy(), self.working.intercepts[node]
            self.working.weights[node], self.working.intercepts[node] = split
            changed = True
            if self._has_rules:
                self.settle()
                if not self._obeys():
                    self.working.weights[node], self.working.intercepts[node] = before
        if changed:
            self.settle()
        if turns and sum(self._prune(node) for node in nodes):
            self.settle()

    def _prune(self, node: int) -> bool:
        """Replace a splitting node by a label or by the subtree of a child if this costs less."""
        rows, working = rows_below(self.terminals, node), self.working
        label = cheapest_label(self.data, rows, node)
        alone = price_of_label(self.data, rows, node, label)
        costs = [self._price(rows, child) for child in (2 * node, 2 * node + 1)]
        if min(alone, *costs) > self._price(rows, node) * (1 - ENOUGH):
            return False
        if alone <= min(costs):
            working.splits[node], working.labels[node] = False, label
            clear_below(working, node)
        else:
            lift(working, 2 * node + int(np.argmin(costs)), node)
        return True

    def _better_split(self, node: int, turns: bool) -> Split | None:
        """Return a cheaper hyperplane of a splitting node, if one is found."""
        rows = rows_below(self.terminals, node)
        if len(rows) < 2:
            return None
        best, cost = None, self.costs(rows, node).sum()
        cost += self._price_of(self.working.weights[node])
        here = self._arrivals(rows, node)
        present = self.working.weights[node].copy()
        for weights in self._promising(here, node) if turns else [present]:
            intercept, now = self._best_intercept(weights, here)
            if now < cost:
                best, cost = (weights, intercept), now
        return best

    def _arrivals(self, rows: IntArray, node: int) -> Arrivals:
        left, right = self.costs(rows, 2 * node), self.costs(rows, 2 * node + 1)
        return Arrivals(rows, self.data.X[rows], left, right)

    def _promising(self, here: Arrivals, node: int) -> list[FloatArray]:
        """Return normal vectors to try; with many rows only the best one on a sample of them."""
        few = here.at_most(DIRECTION_ROWS)
        found = self._directions(few, node)
        scaled = [weights * (self.working.scale[0] / norm(weights)) for weights in found]
        if len(few.rows) == len(here.rows):
            return scaled
        costs = [self._best_intercept(weights, few)[1] for weights in scaled]
        return [scaled[0], scaled[int(np.argmin(costs))]]

    @property
    def _has_rules(self) -> bool:
        """Whether a new hyperplane may break a rule."""
        return bool(self.data.is_sparse or self.data.least_mass > 0)

    def _obeys(self) -> bool:
        """Tell whether the tree keeps the rules."""
        data, working = self.data, self.working
        has_room = count_splits(working, 1) <= data.max_splits
        if data.is_sparse:
            splits = working.splits[: len(working.intercepts)]
            used = used_groups(working.weights[splits], data.groups)
            has_room &= bool(used.any(axis=0).sum() <= data.max_groups)
            has_room &= bool(used.sum(axis=1).max(initial=0) <= data.max_per_split)
        if data.least_mass <= 0:
            return bool(has_room)
        return bool(has_room and light_terminal(data, working, self.terminals) == 0)

    def _price_of(self, weights: FloatArray) -> float:
        """Return the price of the features of a split with these weights."""
        if not self.data.is_sparse:
            return 0.0
        used = used_groups(weights[None], self.data.groups)
        return float(product(used.astype(float), self.data.group_prices)[0])

    def _best_intercept(self, weights: FloatArray, here: Arrivals) -> tuple[float, float]:
        """Return the best intercept for these weights and rows, and its cost."""
        data, pull, mass = self.data, self.data.pull[here.rows], self.data.mass[here.rows]
        values = product(here.X, weights)
        intercept, cost = best_intercept(
            values, here.left, here.right, pull, mass, data.eps, data.least_mass
        )
        return intercept, cost + self._price_of(weights)

    def _directions(self, here: Arrivals, node: int) -> Iterator[FloatArray]:
        """Yield promising normal vectors: the present one, large margins, and single features.

        If features are counted, large margins use those of the present one.
        """
        present = self.working.weights[node].copy()
        yield present
        rows, X, left, right = here
        values = product(X, present) + self.working.intercepts[node]
        kept = np.where(values >= 0, 1.0, -1.0)
        sides = np.where(left == right, kept, np.where(left > right, 1.0, -1.0))
        box = self.data.pull[rows] + np.abs(left - right)
        if np.abs(sides.sum()) == len(sides) or not box.any():
            return
        for strength in STRENGTHS:
            pulls = strength * box / box.mean()
            found = self._large_margin(rows, sides, pulls, present)
            between = _unit(found) + _unit(present)
            yield from (one for one in (found, between) if norm(one) > SHORT)
        yield from self._best_axes(here.at_most(AXIS_ROWS))

    def _large_margin(
        self, rows: IntArray, sides: FloatArray, pulls: FloatArray, present: FloatArray
    ) -> FloatArray:
        """Return the normal vector of a margin problem."""
        beta = np.zeros(len(rows))
        if not self.data.is_sparse:
            return solve_by_rows(self.data.X, rows, sides, pulls, 1.0, beta, PASSES)
        features = np.flatnonzero(present)
        block = columns(self.data.X, rows, features)
        found = np.zeros_like(present)
        found[features] = solve_by_rows(
            block, np.arange(len(rows)), sides, pulls, 1.0, beta, PASSES
        )
        return found

    def _best_axes(self, here: Arrivals) -> Iterator[FloatArray]:
        """Yield the single features, up or down, that divide the rows best."""
        eye = np.eye(self.data.X.shape[1])
        axes = np.vstack([eye, -eye])
        scale = self.working.scale[0]
        costs = [self._best_intercept(scale * axis, here)[1] for axis in axes]
        yield from axes[np.argsort(costs, kind="stable")[:N_AXES]]

    def costs(self, rows: IntArray, node: int) -> FloatArray:
        """Return the costs of some rows from a node on."""
        costs = np.empty(len(rows))
        route_costs(self.data, self.working, rows, node, costs)
        return costs


def graft(source: WorkingTree, target: WorkingTree, node: int, top: int = 1) -> None:
    """Put a tree, or its subtree of a node ``top``, in the place of a subtree of the target.

    It gets the norm of the target.
    """
    factor = target.scale[0] / source.scale[0]
    depth = len(target.splits).bit_length() - 2
    pairs = zip(topology.subtree(node, depth), topology.subtree(top, depth), strict=False)
    for mine, theirs in pairs:
        target.splits[mine] = source.splits[theirs]
        target.labels[mine] = source.labels[theirs]
        if source.splits[theirs]:
            target.weights[mine] = source.weights[theirs] * factor
            target.intercepts[mine] = source.intercepts[theirs] * factor


def _unit(vector: FloatArray) -> FloatArray:
    """Return the vector scaled to norm 1; a vector that is too short stays as it is."""
    length = norm(vector)
    return vector / length if length > SHORT else vector
