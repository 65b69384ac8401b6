"""The planes of one or two features, and the order in which a turning line meets the rows.

A line in general position that divides the rows can be moved until it touches the last row on its
left, the pivot. While it turns about the pivot by half a turn, every other row crosses it once. So
a plane of n rows has at most ``n (n - 1)`` positions of a line to look at, and neighbouring ones
differ by the rows that cross between them.
"""

from itertools import combinations
from typing import NamedTuple

import numpy as np

from margintree._lib.arrays import FloatArray
from margintree._lib.jit import kernel
from margintree.core.problem import Problem

SAME_ANGLE = 1e-12
"""Rows that cross within this angle cross together. Sides that only a line in between would part
are closer to each other than any routing margin allows."""
LEFT, RIGHT, WITH_PIVOT = 0, 1, 2
ENDS, GOES_ON, LAST = 0, 1, 2


class Planes(NamedTuple):
    """The planes, and how lines turn in them.

    Attributes
    ----------
    features : int ndarray of shape (P, 2)
        The features of every plane; -1 in place of a second one.
    prices : ndarray of shape (P,)
        The price of these features.
    places : ndarray of shape (P, n, 2)
        Where the rows are in every plane.
    leaders : int ndarray of shape (P, n)
        The first row at the same place as each row; lines turn about these only.
    orders : int ndarray of shape (P, n, n)
        For every pivot the rows in the order in which they cross.
    sides : int ndarray of shape (P, n, n)
        For every pivot the side of every row before the first one crosses.
    steps : int ndarray of shape (P, n, n)
        For every place in an order: whether a position follows the row there, the next row crosses
        together with it, or no row crosses from there on.
    """

    features: np.ndarray
    prices: FloatArray
    places: FloatArray
    leaders: np.ndarray
    orders: np.ndarray
    sides: np.ndarray
    steps: np.ndarray

    @classmethod
    def of(cls, problem: Problem) -> "Planes":
        """Return the planes of the features that a split of the problem may use.

        Examples
        --------
        >>> problem = Problem.from_data([[0.0, 1.0], [1.0, 0.0]], [0, 1], n_classes=2, depth=1)
        >>> Planes.of(problem.with_rules(0, None, max_features_per_split=2)).features.tolist()
        [[0, 1]]
        """
        most = min(problem.max_features_per_split, problem.n_features)
        sizes = range(1, most + 1) if problem.costs.features else (most,)
        chosen = [some for size in sizes for some in combinations(range(problem.n_features), size)]
        features = np.array([(*some, -1)[:2] for some in chosen])
        weights = np.zeros((len(chosen), problem.n_features))
        for plane, some in enumerate(chosen):
            weights[plane, list(some)] = 1.0
        n, shape = problem.n_rows, (len(chosen), problem.n_rows, problem.n_rows)
        places = np.zeros((len(chosen), n, 2))
        for axis in range(2):
            used = features[:, axis] >= 0
            places[used, :, axis] = problem.X.T[features[used, axis]]
        leaders = np.empty(shape[:2], np.int16)
        turns = np.empty(shape, np.int16), np.empty(shape, np.int8), np.empty(shape, np.int8)
        turn(places, leaders, *turns)
        return cls(features, problem.price_of_features(weights), places, leaders, *turns)


@kernel
def turn(
    places: FloatArray,
    leaders: np.ndarray,
    orders: np.ndarray,
    sides: np.ndarray,
    steps: np.ndarray,
) -> None:
    """Write how a line turns about every row of every plane."""
    n = places.shape[1]
    angles = np.empty(n)
    for plane in range(len(places)):
        leaders[plane] = -1
        for pivot in range(n):
            if leaders[plane, pivot] >= 0:
                continue
            for row in range(n):
                across = places[plane, row, 0] - places[plane, pivot, 0]
                up = places[plane, row, 1] - places[plane, pivot, 1]
                if across == 0.0 and up == 0.0:
                    sides[plane, pivot, row] = WITH_PIVOT
                    leaders[plane, row] = pivot
                else:
                    is_right = across > 0.0 or (across == 0.0 and up > 0.0)
                    sides[plane, pivot, row] = RIGHT if is_right else LEFT
                angles[row] = np.inf if across == 0.0 else np.arctan2(-across, up) % np.pi
            order = np.argsort(angles)
            for place in range(n):
                orders[plane, pivot, place] = order[place]
                here = angles[order[place]]
                steps[plane, pivot, place] = ENDS
                if here == np.inf:
                    steps[plane, pivot, place] = LAST
                elif place + 1 < n and angles[order[place + 1]] - here < SAME_ANGLE:
                    steps[plane, pivot, place] = GOES_ON
