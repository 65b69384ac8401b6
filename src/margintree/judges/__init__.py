"""The judges of the other methods, each in a module of its own; `objective` is MOCTSVM's."""

from margintree.judges.errors import ErrorCost, count_errors, errors_only

__all__ = ["ErrorCost", "count_errors", "errors_only"]
