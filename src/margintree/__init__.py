"""Optimal classification trees with maximum-margin splits, with proof when you ask for it.

Everything below is imported on first use, so that ``import margintree`` costs next to nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from margintree._collector import collector_paused

if TYPE_CHECKING:
    from margintree.estimators import CARTClassifier as CARTClassifier
    from margintree.estimators import CARTClassifierCV as CARTClassifierCV
    from margintree.estimators import MOCTSVMClassifier as MOCTSVMClassifier
    from margintree.estimators import MOCTSVMClassifierCV as MOCTSVMClassifierCV
    from margintree.estimators import OCTClassifier as OCTClassifier
    from margintree.estimators import OCTClassifierCV as OCTClassifierCV
    from margintree.estimators import OCTHClassifier as OCTHClassifier
    from margintree.estimators import OCTHClassifierCV as OCTHClassifierCV
    from margintree.estimators import OCTSVMClassifier as OCTSVMClassifier
    from margintree.estimators import OCTSVMClassifierCV as OCTSVMClassifierCV
    from margintree.estimators import make_table_classifier as make_table_classifier
    from margintree.exceptions import CheckpointWarning as CheckpointWarning
    from margintree.exceptions import InvalidInputError as InvalidInputError
    from margintree.exceptions import MargintreeError as MargintreeError
    from margintree.exceptions import MissingPackageError as MissingPackageError
    from margintree.exceptions import ModelFileError as ModelFileError
    from margintree.exceptions import ShallowTreeWarning as ShallowTreeWarning
    from margintree.exceptions import SolverError as SolverError
    from margintree.exceptions import TableWarning as TableWarning
    from margintree.export import export_dot as export_dot
    from margintree.export import export_text as export_text
    from margintree.export import to_onnx as to_onnx
    from margintree.export import to_python as to_python
    from margintree.export import to_sql as to_sql
    from margintree.fit import fit_tree as fit_tree
    from margintree.limits import Limits as Limits
    from margintree.modelfile import from_json as from_json
    from margintree.modelfile import load as load
    from margintree.modelfile import save as save
    from margintree.modelfile import to_json as to_json
    from margintree.objective import Cost as Cost
    from margintree.plot import plot_partition as plot_partition
    from margintree.plot import plot_path as plot_path
    from margintree.plot import plot_trace as plot_trace
    from margintree.plot import plot_tree as plot_tree
    from margintree.problem import Costs as Costs
    from margintree.problem import Problem as Problem
    from margintree.result import Reason as Reason
    from margintree.result import Result as Result
    from margintree.result import TracePoint as TracePoint
    from margintree.tree import ObliqueTree as ObliqueTree

__version__ = "0.1.0.dev0"

_HOMES = {
    "CARTClassifier": "estimators",
    "CARTClassifierCV": "estimators",
    "CheckpointWarning": "exceptions",
    "Cost": "objective",
    "Costs": "problem",
    "InvalidInputError": "exceptions",
    "Limits": "limits",
    "MOCTSVMClassifier": "estimators",
    "MOCTSVMClassifierCV": "estimators",
    "MargintreeError": "exceptions",
    "MissingPackageError": "exceptions",
    "ModelFileError": "exceptions",
    "OCTClassifier": "estimators",
    "OCTClassifierCV": "estimators",
    "OCTHClassifier": "estimators",
    "OCTHClassifierCV": "estimators",
    "OCTSVMClassifier": "estimators",
    "OCTSVMClassifierCV": "estimators",
    "ObliqueTree": "tree",
    "Problem": "problem",
    "Reason": "result",
    "Result": "result",
    "ShallowTreeWarning": "exceptions",
    "SolverError": "exceptions",
    "TableWarning": "exceptions",
    "TracePoint": "result",
    "export_dot": "export",
    "export_text": "export",
    "fit_tree": "fit",
    "from_json": "modelfile",
    "load": "modelfile",
    "make_table_classifier": "estimators",
    "plot_partition": "plot",
    "plot_path": "plot",
    "plot_trace": "plot",
    "plot_tree": "plot",
    "save": "modelfile",
    "to_json": "modelfile",
    "to_onnx": "export",
    "to_python": "export",
    "to_sql": "export",
}
"""The public names and the modules that define them."""

__all__ = ["__version__", *_HOMES]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    with collector_paused():
        found = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = found  # so that nobody asks again
    return found


def __dir__() -> list[str]:
    return sorted(__all__)
