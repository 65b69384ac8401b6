"""scikit-learn classifiers whose fitted model is an `ObliqueTree`."""

from margintree.estimators._base import TreeClassifier
from margintree.estimators.cart import CARTClassifier
from margintree.estimators.moctsvm import MOCTSVMClassifier
from margintree.estimators.moctsvm_cv import MOCTSVMClassifierCV
from margintree.estimators.oct import OCTClassifier
from margintree.estimators.octh import OCTHClassifier
from margintree.estimators.octsvm import OCTSVMClassifier
from margintree.estimators.table import TableClassifier, make_table_classifier

ESTIMATORS: dict[str, type[TreeClassifier]] = {
    cls.__name__: cls
    for cls in (MOCTSVMClassifier, OCTClassifier, OCTHClassifier, OCTSVMClassifier, CARTClassifier)
}
"""The classifiers by name, as model files call them."""

__all__ = [
    "ESTIMATORS",
    "CARTClassifier",
    "MOCTSVMClassifier",
    "MOCTSVMClassifierCV",
    "OCTClassifier",
    "OCTHClassifier",
    "OCTSVMClassifier",
    "TableClassifier",
    "TreeClassifier",
    "make_table_classifier",
]
