"""Bad input: each kind has a clear error or a sensible, documented result."""

import numpy as np
import pytest
from sklearn.base import clone

from margintree import CARTClassifier, MOCTSVMClassifier, OCTClassifier, ShallowTreeWarning

X, Y = np.array([[0.0, 1.0], [1.0, 0.0], [4.0, 1.0], [5.0, 0.0]]), np.array(["a", "a", "b", "b"])


def with_cell(value):
    changed = X.astype(type(value)) if isinstance(value, str) else X.copy()
    changed[1, 0] = value
    return changed


REFUSED = {
    "NaN": ({}, with_cell(np.nan), Y, None, "NaN"),
    "infinity": ({}, with_cell(np.inf), Y, None, "infinity"),
    "text features": ({}, with_cell("abc"), Y, None, "could not convert"),
    "no row": ({}, X[:0], Y[:0], None, "0 sample"),
    "no column": ({}, X[:, :0], Y, None, "0 feature"),
    "a vector": ({}, X[:, 0], Y, None, "2D"),
    "other lengths": ({}, X, Y[:3], None, "inconsistent"),
    "continuous target": ({}, X, [0.1, 0.2, 0.3, 0.4], None, "continuous"),
    "no target": ({}, X, None, None, "y"),
    "negative c1": ({"c1": -1}, X, Y, None, "'c1'"),
    "NaN c2": ({"c2": np.nan}, X, Y, None, "'c2'"),
    "infinite c3": ({"c3": np.inf}, X, Y, None, "'c3'"),
    "depth 0": ({"max_depth": 0}, X, Y, None, "'max_depth'"),
    "depth 40": ({"max_depth": 40}, X, Y, None, "'max_depth'"),
    "depth as text": ({"max_depth": "2"}, X, Y, None, "'max_depth'"),
    "unknown method": ({"method": "guess"}, X, Y, None, "'method'"),
    "unknown norm": ({"margin_term": "cubic"}, X, Y, None, "'margin_term'"),
    "routing margin 0": ({"routing_margin": 0}, X, Y, None, "'routing_margin'"),
    "negative time": ({"time_limit": -1}, X, Y, None, "'time_limit'"),
    "negative memory": ({"memory_limit": -1}, X, Y, None, "'memory_limit'"),
    "NaN memory": ({"memory_limit": np.nan}, X, Y, None, "memory"),
    "no thread": ({"n_jobs": 0}, X, Y, None, "n_jobs.*0 was given"),
    "negative weights": ({}, X, Y, [1, 1, 1, -1], "at least 0"),
    "NaN weights": ({}, X, Y, [1, 1, 1, np.nan], "NaN"),
    "weights all zero": ({}, X, Y, [0, 0, 0, 0], "zero|positive weight"),
    "weights of another length": ({}, X, Y, [1, 1], "sample_weight"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused_with_a_message_that_names_it(case):
    """ValueError, as scikit-learn's users expect, and the message says what is wrong."""
    params, rows, labels, weights, named = REFUSED[case]
    with pytest.raises(ValueError, match=named):
        MOCTSVMClassifier(**params).fit(rows, labels, sample_weight=weights)


@pytest.mark.parametrize(
    ("cls", "params", "named"),
    [
        (OCTClassifier, {"alpha": -1}, "'alpha'"),
        (OCTClassifier, {"method": "search"}, "'method'"),
        (OCTClassifier, {"min_samples_leaf": 0.6}, "'min_samples_leaf'"),
        (CARTClassifier, {"min_samples_leaf": -0.1}, "'min_samples_leaf'"),
        (CARTClassifier, {"max_splits": -1}, "'max_splits'"),
        (CARTClassifier, {"max_depth": 0}, "'max_depth'"),
    ],
)
def test_the_other_classifiers_refuse_what_is_theirs(cls, params, named):
    """Each parameter is checked under its own name."""
    with pytest.raises(ValueError, match=named):
        cls(**params).fit(X, Y)


def test_an_unknown_solver_is_refused():
    """Its name is in the message."""
    from margintree import SolverError

    with pytest.raises(SolverError, match="nonsense"):
        MOCTSVMClassifier(method="exact", solver="nonsense").fit(X, Y)


ACCEPTED = {
    "one class": (X, ["a"] * 4, None),
    "one row": (X[:1], ["a"], None),
    "constant columns": (np.ones((4, 2)), Y, None),
    "one constant column": (X * [1, 0], Y, None),
    "copies with different labels": (X[[0, 0, 0, 1]], ["a", "b", "b", "b"], None),
    "weights of zero": (X, Y, [1, 1, 1, 0]),
    "a class without weight": (X, Y, [1, 1, 0, 0]),
    "huge values": (X * 1e300, Y, None),
    "tiny values": (X * 1e-300, Y, None),
    "integers": (X.astype(int), Y, None),
    "lists": (X.tolist(), Y.tolist(), None),
    "labels of -1 and 1": (X, [-1, -1, 1, 1], None),
}


MODELS = {
    "search": MOCTSVMClassifier(1, c1=10.0, time_limit=5),
    "exact": MOCTSVMClassifier(1, c1=10.0, time_limit=5, method="exact"),
    "OCT native": OCTClassifier(1, time_limit=5),
    "OCT exact": OCTClassifier(1, time_limit=5, method="exact"),
    "CART": CARTClassifier(1),
}


@pytest.mark.parametrize("kind", MODELS)
@pytest.mark.parametrize("case", ACCEPTED)
def test_accepted_with_a_sensible_tree(case, kind):
    """The tree is valid and predicts no worse than always naming the heaviest class."""
    rows, labels, weights = ACCEPTED[case]
    model = clone(MODELS[kind]).fit(rows, labels, weights)
    assert model.cost_.is_allowed
    assert model.bound_ <= model.objective_ * (1 + 1e-6) + 1e-9
    total = np.array(weights if weights is not None else np.ones(len(rows)), dtype=float)
    right = total[model.predict(rows) == np.asarray(labels)].sum()
    heaviest = max(total[np.asarray(labels) == label].sum() for label in set(labels))
    assert right >= heaviest


def test_more_classes_than_leaves_is_a_warning_and_a_tree():
    """Two leaves name at most two of four classes."""
    with pytest.warns(ShallowTreeWarning):
        model = MOCTSVMClassifier(1, c1=10.0).fit(X, ["a", "b", "c", "d"])
    assert model.predict_proba(X).shape == (4, 4)


@pytest.mark.parametrize(
    ("rows", "named"),
    [
        (X[:, :1], "features"),
        (np.column_stack([X, X]), "features"),
        (with_cell(np.nan), "NaN"),
        (X[:0], "0 sample"),
    ],
)
def test_prediction_refuses_rows_that_do_not_fit(rows, named):
    """Other columns than in training, and missing values."""
    model = MOCTSVMClassifier(1, max_iter=3).fit(X, Y)
    for method in ("predict", "predict_proba", "apply", "decision_path", "split_values"):
        with pytest.raises(ValueError, match=named):
            getattr(model, method)(rows)
