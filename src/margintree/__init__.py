"""Optimal classification trees with maximum-margin splits, and proofs if you ask for them.

Names are imported on first use, so ``import margintree`` takes almost no time.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from margintree._lib.first_fit import collector_paused

if TYPE_CHECKING:
    from margintree._lib.exceptions import CheckpointWarning as CheckpointWarning
    from margintree._lib.exceptions import InvalidInputError as InvalidInputError
    from margintree._lib.exceptions import MargintreeError as MargintreeError
    from margintree._lib.exceptions import MissingPackageError as MissingPackageError
    from margintree._lib.exceptions import ModelFileError as ModelFileError
    from margintree._lib.exceptions import PoorTreeWarning as PoorTreeWarning
    from margintree._lib.exceptions import ShallowTreeWarning as ShallowTreeWarning
    from margintree._lib.exceptions import SolverError as SolverError
    from margintree._lib.exceptions import TableWarning as TableWarning
    from margintree.core.cost import Cost as Cost
    from margintree.core.limits import Limits as Limits
    from margintree.core.method import Method as Method
    from margintree.core.problem import Costs as Costs
    from margintree.core.problem import Problem as Problem
    from margintree.core.result import Reason as Reason
    from margintree.core.result import Result as Result
    from margintree.core.result import TracePoint as TracePoint
    from margintree.core.tree import ObliqueTree as ObliqueTree
    from margintree.estimators import CARTClassifier as CARTClassifier
    from margintree.estimators import ClassTreeClassifier as ClassTreeClassifier
    from margintree.estimators import MOCTSVMClassifier as MOCTSVMClassifier
    from margintree.estimators import MOCTSVMClassifierCV as MOCTSVMClassifierCV
    from margintree.estimators import OCTClassifier as OCTClassifier
    from margintree.estimators import OCTHClassifier as OCTHClassifier
    from margintree.estimators import OCTSVMClassifier as OCTSVMClassifier
    from margintree.estimators import TreeClassifierCV as TreeClassifierCV
    from margintree.estimators import make_table_classifier as make_table_classifier
    from margintree.estimators.modelfile import from_json as from_json
    from margintree.estimators.modelfile import load as load
    from margintree.estimators.modelfile import save as save
    from margintree.estimators.modelfile import to_json as to_json
    from margintree.methods import METHODS as METHODS
    from margintree.methods.solve import How as How
    from margintree.methods.solve import solve as solve
    from margintree.show.export import export_dot as export_dot
    from margintree.show.export import export_text as export_text
    from margintree.show.export import to_onnx as to_onnx
    from margintree.show.export import to_python as to_python
    from margintree.show.export import to_sql as to_sql
    from margintree.show.plot import plot_budgets as plot_budgets
    from margintree.show.plot import plot_partition as plot_partition
    from margintree.show.plot import plot_scores as plot_scores
    from margintree.show.plot import plot_trace as plot_trace
    from margintree.show.plot import plot_tree as plot_tree

__version__ = "0.1.0.dev0"

_HOMES = {
    "CARTClassifier": "estimators",
    "CheckpointWarning": "_lib.exceptions",
    "ClassTreeClassifier": "estimators",
    "Cost": "core.cost",
    "Costs": "core.problem",
    "How": "methods.solve",
    "InvalidInputError": "_lib.exceptions",
    "Limits": "core.limits",
    "METHODS": "methods",
    "MOCTSVMClassifier": "estimators",
    "MOCTSVMClassifierCV": "estimators",
    "MargintreeError": "_lib.exceptions",
    "Method": "core.method",
    "MissingPackageError": "_lib.exceptions",
    "ModelFileError": "_lib.exceptions",
    "OCTClassifier": "estimators",
    "OCTHClassifier": "estimators",
    "OCTSVMClassifier": "estimators",
    "ObliqueTree": "core.tree",
    "PoorTreeWarning": "_lib.exceptions",
    "Problem": "core.problem",
    "Reason": "core.result",
    "Result": "core.result",
    "ShallowTreeWarning": "_lib.exceptions",
    "SolverError": "_lib.exceptions",
    "TableWarning": "_lib.exceptions",
    "TracePoint": "core.result",
    "TreeClassifierCV": "estimators",
    "export_dot": "show.export",
    "export_text": "show.export",
    "from_json": "estimators.modelfile",
    "load": "estimators.modelfile",
    "make_table_classifier": "estimators",
    "plot_budgets": "show.plot",
    "plot_partition": "show.plot",
    "plot_scores": "show.plot",
    "plot_trace": "show.plot",
    "plot_tree": "show.plot",
    "save": "estimators.modelfile",
    "solve": "methods.solve",
    "to_json": "estimators.modelfile",
    "to_onnx": "show.export",
    "to_python": "show.export",
    "to_sql": "show.export",
}
"""The public names and their modules."""

__all__ = ["__version__", *_HOMES]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    with collector_paused():
        found = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = found  # the next access finds it there
    return found


def __dir__() -> list[str]:
    return sorted(__all__)
