"""Histograms of the values of a split, with an edge at 0, where the sides part."""

from typing import Any

import numpy as np

from margintree._lib.arrays import FloatArray, IntArray

_MAX_BINS = 40
_REACH = 1.5
"""How far a histogram reaches at least on both sides: the margin, which ends at 1, is in it."""


def histogram(values: FloatArray, codes: IntArray) -> dict[str, Any]:
    """Return how many rows of each class have which values.

    Parameters
    ----------
    values : ndarray of shape (n,)
        The values of a split on the rows that arrive there.
    codes : int ndarray of shape (n,)
        Their class codes.

    Returns
    -------
    dict
        ``first``, the left edge of the first bin; ``width`` of all bins; ``counts``, a list of
        pairs of a class code and its counts, bin by bin.

    Examples
    --------
    >>> import numpy as np
    >>> histogram(np.array([-1.1, 0.1, 0.2]), np.array([0, 1, 1]))["counts"][1][1][:9]
    [0, 0, 0, 0, 0, 0, 0, 0, 0]
    """
    least, most = values.min(initial=-_REACH), values.max(initial=_REACH)
    width = _bin_width(most - least)
    first = int(np.floor(least / width))
    n_bins = int(np.floor(most / width)) - first + 1
    bins = np.floor(values / width).astype(int) - first
    counts = [
        [int(code), np.bincount(bins[codes == code], minlength=n_bins).tolist()]
        for code in np.unique(codes)
    ]
    return {"first": first * width, "width": width, "counts": counts}


def _bin_width(reach: float) -> float:
    """Return a round width with which the bins are not too many.

    Examples
    --------
    >>> _bin_width(3.0), _bin_width(30.0), _bin_width(3000.0)
    (0.1, 1.0, 100.0)
    """
    rough = reach / (_MAX_BINS - 2)
    power = 10.0 ** np.floor(np.log10(rough))
    return float(next(power * step for step in (1, 2, 5, 10) if power * step >= rough))
