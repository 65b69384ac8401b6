"""Random inputs of the compiled kernels for property tests."""

from typing import NamedTuple

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from margintree.core.problem import Costs, Problem
from margintree.search.margin.kernel_data import (
    gram_of,
    make_kernel_data,
    new_state,
    new_working_tree,
    to_tree,
)
from margintree.search.margin.kernels.sweep import State, settle
from margintree.search.margin.kernels.working_tree import KernelData, WorkingTree
from margintree.search.margin.local_search import LocalSearch
from strategies import raw_data

prices = st.sampled_from([0.0, 0.1, 1.0, 10.0, 100.0])
either = st.booleans()
scales = st.sampled_from([0.25, 1.0, 3.0, 17.0])
offsets = st.sampled_from([-2.5, -1.0, -0.4, -0.002, 0.002, 0.4, 1.0, 2.5])


class Case(NamedTuple):
    """A problem, a working tree for it, and what kernels know of both."""

    problem: Problem
    kernel_data: KernelData
    working: WorkingTree
    state: State

    @property
    def tree(self):
        """The tree that the working tree describes."""
        return to_tree(self.problem, self.working)

    def local(self):
        """Return a local search with the working tree on it."""
        local = LocalSearch(self.kernel_data, np.random.default_rng(0))
        local.put(self.working)
        return local

    @property
    def branch_nodes(self):
        """The nodes that may split."""
        return range(1, len(self.working.intercepts))


def kernel_data_of(problem):
    """Return what kernels know of a problem, inner products included."""
    return make_kernel_data(problem, gram_of(problem))


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
        margin_term=draw(st.sampled_from(["squared", "plain"])),
        error_costs=draw(st.sampled_from([None, errors * (1 - np.eye(n_classes))])),
    )


@st.composite
def cases(draw, splits=either):
    """Draw a problem and any working tree; each hyperplane passes a row at a chosen distance."""
    problem = draw(small_problems())
    kernel_data = kernel_data_of(problem)
    working = new_working_tree(kernel_data, draw(scales))
    working.labels[:] = draw(labels_of(kernel_data, len(working.labels)))
    for node in range(1, len(working.intercepts)):
        if (node == 1 or working.splits[node // 2]) and draw(splits):
            working.splits[node] = True
            working.weights[node] = draw(directions(problem.n_features)) * working.scale[0]
            row = draw(st.integers(0, problem.n_rows - 1))
            working.intercepts[node] = draw(offsets) - working.weights[node] @ kernel_data.X[row]
    return settled(problem, kernel_data, working)


@st.composite
def data_with_tolls(draw, case):
    """Draw the kernel data of a case, with any number of payments for classes on the way."""
    counts = st.integers(0, 3).map(float)
    n_nodes, n_classes = len(case.working.splits), case.problem.n_classes
    tolls = draw(hnp.arrays(float, (n_nodes, 2), elements=counts))
    tolls[:, n_classes:] = 0.0
    return case.kernel_data._replace(
        tolls=tolls, stays=draw(hnp.arrays(float, n_nodes, elements=counts))
    )


def settled(problem, kernel_data, working):
    """Return the case of a working tree whose labels are kept as they are."""
    labels, state = working.labels.copy(), new_state(kernel_data)
    settle(kernel_data, working, state, 1)
    working.labels[:] = labels
    return Case(problem, kernel_data, working, state)


def labels_of(kernel_data, count):
    """Return strategies of class labels."""
    return hnp.arrays(np.int64, count, elements=st.integers(0, kernel_data.prices.shape[1] - 1))


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


def local_search_for(problem, scale=8.0, seed=0):
    """Return a local search with a tree without splits."""
    local = LocalSearch(kernel_data_of(problem), np.random.default_rng(seed))
    local.clear(scale)
    return local
