"""Fitted classifiers without a fit."""

import numpy as np

from margintree import MOCTSVMClassifier
from margintree.core.cost import Cost
from margintree.core.result import Reason, Result, TracePoint


def fitted(tree, classes=None, features=None, **params):
    """Return a classifier with this tree, as if it had been fitted."""
    estimator = MOCTSVMClassifier(**params)
    estimator.classes_ = np.arange(tree.n_classes) if classes is None else np.array(classes)
    estimator.n_features_in_ = tree.scaling.n_columns
    if features is not None:
        estimator.feature_names_in_ = np.array(features, dtype=object)
    trace = (TracePoint(0.1, np.inf, -np.inf), TracePoint(0.5, 3.0, 1.0))
    terms = {"errors": 1.0, "violations": 0.0, "splits": 1.0, "margin": 1.0}
    cost = Cost(terms, {"ties": 0})
    estimator.result_ = Result(
        tree, cost, 1.0, Reason.LIMIT, "time", 1e-4, trace, "search", "1", 0.5, iterations=7
    )
    return estimator
