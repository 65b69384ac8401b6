"""Random problems and trees for property tests."""

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from margintree.core.problem import Costs, Problem
from margintree.core.space import Space
from margintree.core.tree import ObliqueTree

coordinates = st.floats(-4, 4, width=16)
weights = st.integers(1, 4).map(float)


@st.composite
def raw_data(draw, max_rows=8):
    """Draw rows, class codes, row weights and the number of classes."""
    n_rows, n_features = draw(st.integers(1, max_rows)), draw(st.integers(1, 3))
    n_classes = draw(st.integers(1, 4))
    X = draw(hnp.arrays(float, (n_rows, n_features), elements=coordinates))
    y = draw(hnp.arrays(np.int64, n_rows, elements=st.integers(0, n_classes - 1)))
    row_weights = draw(hnp.arrays(float, n_rows, elements=weights))
    return X, y, row_weights, n_classes


@st.composite
def settings(draw, n_classes):
    """Draw everything that a problem is made of but its rows."""
    cost = st.floats(0, 10)
    prices = draw(hnp.arrays(float, (n_classes, n_classes), elements=st.integers(0, 3)))
    return {
        "n_classes": n_classes,
        "depth": draw(st.integers(1, 3)),
        "costs": Costs(draw(cost), draw(cost), draw(cost)),
        "margin_term": draw(st.sampled_from(["squared", "plain"])),
        "error_costs": draw(st.sampled_from([None, prices * (1 - np.eye(n_classes))])),
    }


@st.composite
def problems(draw):
    """Draw a small problem."""
    X, y, row_weights, n_classes = draw(raw_data())
    return Problem.from_data(X, y, row_weights=row_weights, **draw(settings(n_classes)))


@st.composite
def trees(draw, n_features=None, n_classes=None, depth=None, scaling=None):
    """Draw a tree with any hyperplanes."""
    p = n_features or draw(st.integers(1, 3))
    K = n_classes or draw(st.integers(1, 4))
    D = depth or draw(st.integers(1, 3))
    splits = draw(hnp.arrays(bool, 2**D - 1))
    W = draw(hnp.arrays(float, (2**D - 1, p), elements=coordinates))
    b = draw(hnp.arrays(float, 2**D - 1, elements=coordinates))
    return ObliqueTree(
        np.where(splits[:, None], W, 0.0),
        np.where(splits, b, -1.0),
        splits,
        draw(hnp.arrays(np.int64, 2**D, elements=st.integers(0, K - 1))),
        draw(hnp.arrays(float, (2**D, K), elements=st.integers(0, 9))),
        scaling or draw(scalings(p)),
    )


def scalings(n_features):
    """Return scalings of so many features."""
    minima = hnp.arrays(float, n_features, elements=coordinates)
    spans = hnp.arrays(float, n_features, elements=st.floats(0.5, 8, width=16))
    return st.builds(Space, minima, spans)


@st.composite
def problems_with_trees(draw):
    """Draw a small problem and any tree for it."""
    problem = draw(problems())
    tree = draw(trees(problem.n_features, problem.n_classes, problem.depth, problem.scaling))
    return problem, tree
