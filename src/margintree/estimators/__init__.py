"""scikit-learn classifiers whose fitted model is an `ObliqueTree`."""

from margintree.estimators._base import TreeClassifier
from margintree.estimators.cart import CARTClassifier
from margintree.estimators.moctsvm import MOCTSVMClassifier
from margintree.estimators.oct import OCTClassifier

ESTIMATORS: dict[str, type[TreeClassifier]] = {
    cls.__name__: cls for cls in (MOCTSVMClassifier, OCTClassifier, CARTClassifier)
}
"""The classifiers by name, as model files call them."""

__all__ = ["ESTIMATORS", "CARTClassifier", "MOCTSVMClassifier", "OCTClassifier", "TreeClassifier"]
