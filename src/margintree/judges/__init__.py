"""The judges of the other methods, each in a module of its own; `objective` is MOCTSVM's."""

from typing import TypeAlias

from margintree.judges.errors import ErrorCost, count_errors, errors_only
from margintree.objective import Cost

AnyCost: TypeAlias = Cost | ErrorCost
"""What any of the judges returns."""

__all__ = ["AnyCost", "ErrorCost", "count_errors", "errors_only"]
