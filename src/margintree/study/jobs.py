"""From a specification to jobs, and from a data set to its rows in their order."""

from collections.abc import Collection

import numpy as np

from margintree._lib.arrays import AnyArray, FloatArray
from margintree._lib.fingerprint import fingerprint
from margintree.data.datasets import CATALOGUE, Dataset
from margintree.study.spec import Spec
from margintree.study.store import Job


def jobs_of(
    spec: Spec, data_sets: Collection[str] | None = None, methods: Collection[str] | None = None
) -> list[Job]:
    """Return the jobs of a study, one repetition after the other.

    Parameters
    ----------
    spec : Spec
        The specification.
    data_sets, methods : collection of str, optional
        Only these.

    Examples
    --------
    >>> from margintree.study.spec import read_spec
    >>> len(jobs_of(read_spec("paper"), methods=["moctsvm"]))
    325
    """
    return [
        Job(data_set, repetition, fold, method)
        for repetition in range(spec.repetitions)
        for data_set in spec.data_sets
        for fold in range(spec.folds)
        for method in spec.methods
        if (data_sets is None or data_set in data_sets) and (methods is None or method in methods)
    ]


def canonical(data: Dataset) -> tuple[FloatArray, AnyArray]:
    """Return rows and labels in an order that does not depend on where the set comes from.

    Missing cells hold the code that stands for them in the source.
    """
    code = CATALOGUE[data.name].missing_code
    X = data.X if code is None else np.where(np.isnan(data.X), code, data.X)
    order = np.lexsort((data.y, *X.T[::-1]))
    return X[order], data.y[order]


def table_fingerprint(X: FloatArray, y: AnyArray) -> str:
    """Return a text that tells these rows from others; classes may have names that sort alike.

    Examples
    --------
    >>> X, y = np.array([[1.0], [2.0]]), np.array(["no", "yes"])
    >>> table_fingerprint(X, y) == table_fingerprint(X, np.array([0, 1]))
    True
    >>> table_fingerprint(X, y) in (table_fingerprint(2 * X, y), table_fingerprint(X, y[::-1]))
    False
    """
    return fingerprint(X, np.unique(y, return_inverse=True)[1])
