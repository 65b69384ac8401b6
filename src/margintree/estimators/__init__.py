"""scikit-learn classifiers whose fitted model is an `ObliqueTree`."""

from margintree.estimators._base import TreeClassifier
from margintree.estimators.moctsvm import MOCTSVMClassifier

ESTIMATORS: dict[str, type[TreeClassifier]] = {cls.__name__: cls for cls in (MOCTSVMClassifier,)}
"""The classifiers by name, as model files call them."""

__all__ = ["ESTIMATORS", "MOCTSVMClassifier", "TreeClassifier"]
