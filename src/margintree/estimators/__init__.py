"""scikit-learn classifiers whose fitted model is an `ObliqueTree`."""

from margintree.estimators._base import TreeClassifier
from margintree.estimators._plain import MethodClassifier
from margintree.estimators.cart import CARTClassifier
from margintree.estimators.choice import MOCTSVMClassifierCV, TreeClassifierCV
from margintree.estimators.class_tree import ClassTreeClassifier
from margintree.estimators.moctsvm import MOCTSVMClassifier
from margintree.estimators.oct import OCTClassifier
from margintree.estimators.octh import OCTHClassifier
from margintree.estimators.octsvm import OCTSVMClassifier
from margintree.estimators.table_pipeline import TableClassifier, make_table_classifier

ESTIMATORS: dict[str, type[MethodClassifier]] = {
    cls.__name__: cls
    for cls in (
        MOCTSVMClassifier,
        OCTClassifier,
        OCTHClassifier,
        OCTSVMClassifier,
        CARTClassifier,
        ClassTreeClassifier,
    )
}
"""The classifiers by their names in model files. Add your own to write and read its models."""

__all__ = [
    "ESTIMATORS",
    "CARTClassifier",
    "ClassTreeClassifier",
    "MOCTSVMClassifier",
    "MOCTSVMClassifierCV",
    "MethodClassifier",
    "OCTClassifier",
    "OCTHClassifier",
    "OCTSVMClassifier",
    "TableClassifier",
    "TreeClassifier",
    "TreeClassifierCV",
    "make_table_classifier",
]
