"""Data sets that need no download."""

from dataclasses import dataclass

from sklearn import datasets

from margintree._typing import AnyArray, FloatArray
from margintree.exceptions import InvalidInputError

_LOADERS = {"iris": datasets.load_iris, "wine": datasets.load_wine}


@dataclass(frozen=True, eq=False)
class Dataset:
    """A table with a target.

    Attributes
    ----------
    name : str
        The name of the data set.
    X : ndarray of shape (n, p)
        The features.
    y : ndarray of shape (n,)
        The labels, as text.
    feature_names : tuple of str
        The names of the features.
    """

    name: str
    X: FloatArray
    y: AnyArray
    feature_names: tuple[str, ...]


def load(name: str) -> Dataset:
    """Return a data set by its name.

    Parameters
    ----------
    name : {"iris", "wine"}
        The data set.

    Examples
    --------
    >>> wine = load("wine")
    >>> wine.X.shape, wine.y.shape, wine.feature_names[0]
    ((178, 13), (178,), 'alcohol')
    """
    if name not in _LOADERS:
        raise InvalidInputError(
            f"The data set must be one of {', '.join(sorted(_LOADERS))}; {name!r} was given."
        )
    bunch = _LOADERS[name]()
    labels = bunch.target_names[bunch.target]
    return Dataset(name, bunch.data, labels.astype(str), tuple(map(str, bunch.feature_names)))
