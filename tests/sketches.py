"""Random inputs of the compiled kernels for property tests."""

from typing import NamedTuple

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from margintree.problem import Costs, Problem
from margintree.search.kernels.sketch import Sketch, Task
from margintree.search.kernels.sweep import State, settle
from margintree.search.task import make_task, new_sketch, new_state, to_tree
from margintree.search.workbench import Workbench
from strategies import raw_data

prices = st.sampled_from([0.0, 0.1, 1.0, 10.0, 100.0])
either = st.booleans()
scales = st.sampled_from([0.25, 1.0, 3.0, 17.0])
offsets = st.sampled_from([-2.5, -1.0, -0.4, -0.002, 0.002, 0.4, 1.0, 2.5])


class Case(NamedTuple):
    """A problem, a sketch of a tree for it, and what kernels know of both."""

    problem: Problem
    task: Task
    sketch: Sketch
    state: State

    @property
    def tree(self):
        """The tree that the sketch describes."""
        return to_tree(self.problem, self.sketch)

    def bench(self):
        """Return a workbench with the sketch on it."""
        bench = Workbench(self.task, np.random.default_rng(0))
        bench.put(self.sketch)
        return bench

    @property
    def branch_nodes(self):
        """The nodes that may split."""
        return range(1, len(self.sketch.intercepts))


@st.composite
def small_problems(draw, max_depth=3):
    """Draw a problem with few rows; equal rows, constant columns and free terms are common."""
    X, y, row_weights, n_classes = draw(raw_data())
    errors = draw(hnp.arrays(float, (n_classes, n_classes), elements=st.integers(0, 3)))
    return Problem.from_data(
        X,
        y,
        row_weights=row_weights,
        n_classes=n_classes,
        depth=draw(st.integers(1, max_depth)),
        costs=Costs(draw(prices), draw(prices), draw(prices)),
        margin_norm=draw(st.sampled_from(["squared", "plain"])),
        error_costs=draw(st.sampled_from([None, errors * (1 - np.eye(n_classes))])),
    )


@st.composite
def cases(draw, splits=either):
    """Draw a problem with any sketch; every hyperplane passes some row at a chosen distance."""
    problem = draw(small_problems())
    task = make_task(problem)
    sketch = new_sketch(task, draw(scales))
    sketch.labels[:] = draw(labels_of(task, len(sketch.labels)))
    for node in range(1, len(sketch.intercepts)):
        if (node == 1 or sketch.splits[node // 2]) and draw(splits):
            sketch.splits[node] = True
            sketch.weights[node] = draw(directions(problem.n_features)) * sketch.scale[0]
            row = draw(st.integers(0, problem.n_rows - 1))
            sketch.intercepts[node] = draw(offsets) - sketch.weights[node] @ task.X[row]
    return settled(problem, task, sketch)


@st.composite
def tasks(draw, case):
    """Draw the task of a case, with any number of payments for classes on the way."""
    counts = st.integers(0, 3).map(float)
    n_nodes, n_classes = len(case.sketch.splits), case.problem.n_classes
    tolls = draw(hnp.arrays(float, (n_nodes, 2), elements=counts))
    tolls[:, n_classes:] = 0.0
    return case.task._replace(tolls=tolls, stays=draw(hnp.arrays(float, n_nodes, elements=counts)))


def settled(problem, task, sketch):
    """Return the case of a sketch whose labels are kept as they are."""
    labels, state = sketch.labels.copy(), new_state(task)
    settle(task, sketch, state, 1)
    sketch.labels[:] = labels
    return Case(problem, task, sketch, state)


def labels_of(task, count):
    """Return strategies of class labels."""
    return hnp.arrays(np.int64, count, elements=st.integers(0, task.prices.shape[1] - 1))


def directions(n_features):
    """Return strategies of unit vectors."""
    whole = hnp.arrays(float, n_features, elements=st.integers(-3, 3))
    return whole.filter(np.any).map(lambda vector: vector / np.linalg.norm(vector))


class Line(NamedTuple):
    """Rows along a line: values, how fast they change, and what they pay on either side."""

    values: np.ndarray
    changes: np.ndarray
    left: np.ndarray
    right: np.ndarray
    pull: np.ndarray


@st.composite
def lines(draw, max_rows=9):
    """Draw rows along a line; equal values and free sides are common."""
    m = draw(st.integers(1, max_rows))
    numbers = st.one_of(st.sampled_from([-1.5, 0.25, 0.7]), st.floats(-3, 3, width=32))
    return Line(
        values=draw(hnp.arrays(float, m, elements=numbers)),
        changes=draw(hnp.arrays(float, m, elements=st.sampled_from([-1.3, -0.2, 0, 0.37, 0.9]))),
        left=draw(hnp.arrays(float, m, elements=prices)),
        right=draw(hnp.arrays(float, m, elements=prices)),
        pull=draw(hnp.arrays(float, m, elements=prices)),
    )


def corners(n_each=3, depth=3):
    """Return rows in small clouds at the corners of a cube; every cloud is a class of its own."""
    rng = np.random.default_rng(0)
    clouds = np.indices([2] * depth).reshape(depth, -1).T
    y = np.repeat(np.arange(len(clouds)), n_each)
    X = clouds[y] + 0.05 * rng.random((len(y), depth))
    return Problem.from_data(X, y, n_classes=len(clouds), depth=depth, costs=Costs(10.0, 1.0, 0.1))


def bench_for(problem, scale=8.0, seed=0):
    """Return a workbench with a tree without splits."""
    bench = Workbench(make_task(problem), np.random.default_rng(seed))
    bench.clear(scale)
    return bench
