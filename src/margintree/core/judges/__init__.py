"""The judges of the other methods, each in a module of its own; `objective` is MOCTSVM's."""

from typing import TypeAlias

from margintree.core.judges.errors import ErrorCost, count_errors, errors_only, relative_errors
from margintree.core.judges.labels import LabelCost, price_labels
from margintree.core.judges.margins import Cost

AnyCost: TypeAlias = Cost | ErrorCost | LabelCost
"""What any of the judges returns."""

__all__ = [
    "AnyCost",
    "ErrorCost",
    "LabelCost",
    "count_errors",
    "errors_only",
    "price_labels",
    "relative_errors",
]
