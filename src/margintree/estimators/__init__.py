"""scikit-learn classifiers whose fitted model is an `ObliqueTree`."""

from margintree.estimators._base import TreeClassifier
from margintree.estimators._chosen import ChosenMixin
from margintree.estimators.cart import CARTClassifier
from margintree.estimators.cart_cv import CARTClassifierCV
from margintree.estimators.moctsvm import MOCTSVMClassifier
from margintree.estimators.moctsvm_cv import MOCTSVMClassifierCV
from margintree.estimators.oct import OCTClassifier
from margintree.estimators.oct_cv import OCTClassifierCV
from margintree.estimators.octh import OCTHClassifier
from margintree.estimators.octh_cv import OCTHClassifierCV
from margintree.estimators.octsvm import OCTSVMClassifier
from margintree.estimators.octsvm_cv import OCTSVMClassifierCV
from margintree.estimators.table_pipeline import TableClassifier, make_table_classifier

ESTIMATORS: dict[str, type[TreeClassifier]] = {
    cls.__name__: cls
    for cls in (MOCTSVMClassifier, OCTClassifier, OCTHClassifier, OCTSVMClassifier, CARTClassifier)
}
"""The classifiers by name, as model files call them."""

__all__ = [
    "ESTIMATORS",
    "CARTClassifier",
    "CARTClassifierCV",
    "ChosenMixin",
    "MOCTSVMClassifier",
    "MOCTSVMClassifierCV",
    "OCTClassifier",
    "OCTClassifierCV",
    "OCTHClassifier",
    "OCTHClassifierCV",
    "OCTSVMClassifier",
    "OCTSVMClassifierCV",
    "TableClassifier",
    "TreeClassifier",
    "make_table_classifier",
]
