"""Warnings that name the line of the user's code which led to them."""

import sys
import warnings

INSIDE = ("margintree", "sklearn", "joblib")
"""Packages between a warning and the user's code."""


def warn_user(message: str, category: type[Warning]) -> None:
    """Warn of something at the innermost line outside of this package and scikit-learn.

    Examples
    --------
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     warn_user("Two classes look alike.", UserWarning)
    >>> str(caught[0].message)
    'Two classes look alike.'
    """
    level, frame = 2, sys._getframe(1)
    while frame.f_back is not None and _package(frame.f_globals) in INSIDE:
        level, frame = level + 1, frame.f_back
    warnings.warn(message, category, stacklevel=level)


def _package(names: dict[str, object]) -> str:
    return str(names.get("__name__", "")).partition(".")[0]
