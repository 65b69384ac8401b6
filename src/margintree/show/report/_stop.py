"""The trees of a path between which the slider of a report switches."""

from typing import Any, NamedTuple


class Stop(NamedTuple):
    """A fitted classifier on a path, with what is said of it.

    Attributes
    ----------
    name : str
        What distinguishes it, such as "at most 3 features per split".
    model : classifier
        The fitted classifier. All of a path have the same features and classes.
    score, error : float
        Its mean score on rows left out, and the standard error of the mean over the folds; NaN if
        they are unknown.
    """

    name: str
    model: Any
    score: float
    error: float
