"""The accuracies that the paper prints in its Table 1.

V. Blanco, A. Japón, J. Puerto: Multiclass optimal classification trees with SVM-splits. Machine
Learning 112 (2023), https://doi.org/10.1007/s10994-023-06366-1. Depth 3; five repetitions of five
folds, of which one trains and four test. ``printed.csv`` has the numbers as they are printed, in
per cent, with the sizes of the data sets as the paper counts them.
"""

import csv
from functools import cache
from importlib.resources import files

from margintree.study.summary import Spread

PRINTED_METHODS = ("cart", "oct", "octh", "moctsvm")
"""The methods of the printed table."""


_REPETITIONS = 5


@cache
def printed() -> dict[tuple[str, str], Spread]:
    """Return the printed numbers, in per cent, by data set and method.

    Examples
    --------
    >>> printed()["iris", "moctsvm"]
    Spread(mean=95.72, sd=1.79, repetitions=5)
    """
    text = files("margintree.study").joinpath("printed.csv").read_text(encoding="utf-8")
    return {
        (line["dataset"], method): Spread(
            float(line[method]), float(line[f"{method}_sd"]), _REPETITIONS
        )
        for line in csv.DictReader(text.splitlines())
        for method in PRINTED_METHODS
    }
