"""The arrays that the kernels of a proof share."""

from typing import NamedTuple

import numpy as np

from margintree._lib.arrays import BoolArray, FloatArray, IntArray
from margintree._lib.jit import part


class RowData(NamedTuple):
    """What does not change while a problem is solved.

    Attributes
    ----------
    X : ndarray of shape (n, r)
        The rows around their mean, in coordinates that keep distances.
    gram : ndarray of shape (n, n)
        Inner products of these rows.
    apart : ndarray of shape (n, n)
        Their squared distances.
    y : int ndarray of shape (n,)
        Class codes.
    pull : ndarray of shape (n,)
        What a unit of violation costs each row.
    prices : ndarray of shape (n, K)
        What it costs to call each row each class.
    first, second : int ndarray of shape (n_pairs,)
        Pairs of rows of different classes, the closest first.
    distances : ndarray of shape (n_pairs,)
        How far they are apart.
    reaches : ndarray of shape (n,)
        The distance of each row from the row that is farthest from it.
    tails : ndarray of shape (n,)
        The routing margin for every row.
    masses : ndarray of shape (n,)
        The weights of the rows in a leaf.
    least_mass : float
        The least weight of a leaf; 0 for no such rule.
    radius : float
        The largest distance of a row from the mean.
    eps : float
        The routing margin.
    split_price : float
        The price of a split.
    is_squared : bool
        Whether the margin term is ``||w||**2 / 2`` or ``||w|| / 2``.
    may_lean : bool
        Whether rows that lean to a side take part in bounds.
    """

    X: FloatArray
    gram: FloatArray
    apart: FloatArray
    y: IntArray
    pull: FloatArray
    prices: FloatArray
    first: IntArray
    second: IntArray
    distances: FloatArray
    reaches: FloatArray
    tails: FloatArray
    masses: FloatArray
    least_mass: float
    radius: float
    eps: float
    split_price: float
    is_squared: bool
    may_lean: bool


class Frame(NamedTuple):
    """A skeleton as arrays over nodes; node 0 is none.

    Attributes
    ----------
    is_split, twins : bool ndarray of shape (2**(D+1),)
        Whether a node splits, and whether its two subtrees are of the same shape.
    classes : int ndarray of shape (2**(D+1),)
        The classes named below each node, as bits; 0 where there is no node.
    slots : int ndarray of shape (2**(D+1),)
        The place of every splitting node among the splitting nodes.
    least : ndarray of shape (2**(D+1), n)
        What each row pays at least for errors once it is at a node.
    n_options : int ndarray of shape (2**(D+1), K)
        How many ways on a row of each class has from a node.
    options : int ndarray of shape (2**(D+1), K, 2**D)
        The nodes to which they lead.
    pair_errors : ndarray of shape (n_pairs,)
        What a pair of rows pays at least, beyond ``least``, if no hyperplane is between them.
    grid : ndarray of shape (n_cells + 1,)
        Norms that divide the possible common norms into cells.
    """

    is_split: BoolArray
    twins: BoolArray
    classes: IntArray
    slots: IntArray
    least: FloatArray
    n_options: IntArray
    options: IntArray
    pair_errors: FloatArray
    grid: FloatArray


GAIN, LENGTH, INTERCEPT = range(3)
"""Places in ``Stack.planes``."""
MEMBERS, RIGHT = range(2)
"""Places in ``Stack.passing``."""
PAID, NORM, LOW, SHARE, WIDE_NORM, IS_WIDE = range(6)
"""Places in ``Stack.levels``."""
FIRST, LAST, ROW, WAYS, NEXT = range(5)
"""Places in ``Stack.moves``."""


class Stack(NamedTuple):
    """The path from the root of the search to the present node, one level per decision.

    Few arrays of several columns compile faster than many arrays. ``members`` and ``sides`` are
    shared by all levels: every level takes as many rows as it has members.

    Attributes
    ----------
    duals, values : ndarray of shape (n_levels, n_splits, n)
        Dual variables of every split, and ``v @ x`` of all rows for ``v = sum_i beta_i x_i``.
    planes : ndarray of shape (n_levels, n_splits, 3)
        The linear part of each dual, the length of ``v`` and the intercept.
    wide_duals, wide_values, wide_planes : ndarray
        The same for duals in which rows that lean take part, too; see `leaning`.
    passing : int ndarray of shape (n_levels, n_splits, 2)
        How many rows must pass a split, and how many of them on its right.
    places : int ndarray of shape (n_levels, n)
        The node that each row is known to reach.
    levels : ndarray of shape (n_levels, 6)
        What is paid already for errors and splits, the common norm for which the duals are solved,
        the bound, the share of the search, the norm for which the wide duals are solved, and
        whether their hyperplanes lead the search.
    cells : ndarray of shape (n_levels, 2, n_cells)
        The bound of every cell, and the part of it that is margin and violations of decided rows.
    moves : int ndarray of shape (n_levels, 5)
        The first cell that is open and the one after the last, the row that is decided, how many
        ways on it has and which comes next.
    options : int ndarray of shape (n_levels, 2**(D+1))
        These ways.
    members : int ndarray of shape (n_splits, n)
        The rows that must pass each split.
    sides : ndarray of shape (n_splits, n)
        Their sides, +1 right or -1 left.
    """

    duals: FloatArray
    values: FloatArray
    planes: FloatArray
    wide_duals: FloatArray
    wide_values: FloatArray
    wide_planes: FloatArray
    passing: IntArray
    places: IntArray
    levels: FloatArray
    cells: FloatArray
    moves: IntArray
    options: IntArray
    members: IntArray
    sides: FloatArray


class Desk(NamedTuple):
    """Room to work in.

    Attributes
    ----------
    rise, fall, duals, values : ndarray of shape (n,)
        Slopes of a dual, and a dual that is tried.
    is_free : bool ndarray of shape (n,)
        Rows that have no partner yet.
    pairs, tried_pairs : ndarray of shape (n_cells,)
        What pairs of rows pay at least, by cell.
    f : ndarray of shape (2**D, n)
        The value of every split at every row.
    below : ndarray of shape (2**(D+1),)
        What a row pays at least from a node on.
    scores : ndarray of shape (n,)
        How much each row without a leaf promises.
    option_prices : ndarray of shape (2**(D+1),)
        What each way on costs a row.
    is_dead : bool ndarray of shape (2, 2**(D+1))
        The ways on that are closed, for the row that is tried and for the best so far.
    leaf_prices : ndarray of shape (2**(D+1), K)
        What it costs to call the rows of each leaf each class.
    leaf_masses : ndarray of shape (2**(D+1),)
        The weight of the rows in each leaf, or what is missing there.
    hulls : ndarray of shape (2**D, n)
        By split, weights that add up to one on either side.
    lambdas, scales : ndarray of shape (2**D,)
        By split, its share of the margin term at a leaf, and the w that belongs to v = 1.
    candidates : int ndarray of shape (PROBES,)
        The rows whose ways on are tried before one of them is chosen.
    candidate_scores : ndarray of shape (PROBES,)
        Their scores.
    lines : ndarray of shape (5,)
        See `raise_cells`.
    is_busy, nobody : bool ndarray of shape (n,)
        Rows that take part in a wide dual, and no row at all.
    wide_pairs : ndarray of shape (n_cells,)
        What pairs of the other rows pay at least, by cell.
    crew : int ndarray of shape (2**D, n + 1)
        The rows that take part in the wide dual of each split, with
    crew_sides : ndarray of shape (2**D, n + 1)
        their sides,
    crew_sizes : int ndarray of shape (2**D, 2)
        their number, that of rows on the right,
    boxes, tails : ndarray of shape (2**D, n)
        and for every row the end of slope 1 and the slope beyond it.
    path, path_boxes : ndarray of shape (D,)
        The nodes to which a row leans, and the boxes of its duals there.
    new_sides, new_boxes, new_tails : ndarray of shape (2**D,)
        The part that a row takes in each split on a way that is tried.
    """

    rise: FloatArray
    fall: FloatArray
    duals: FloatArray
    values: FloatArray
    is_free: BoolArray
    pairs: FloatArray
    tried_pairs: FloatArray
    f: FloatArray
    below: FloatArray
    scores: FloatArray
    option_prices: FloatArray
    is_dead: BoolArray
    leaf_prices: FloatArray
    leaf_masses: FloatArray
    hulls: FloatArray
    lambdas: FloatArray
    scales: FloatArray
    candidates: IntArray
    candidate_scores: FloatArray
    lines: FloatArray
    is_busy: BoolArray
    nobody: BoolArray
    wide_pairs: FloatArray
    crew: IntArray
    crew_sides: FloatArray
    crew_sizes: IntArray
    boxes: FloatArray
    tails: FloatArray
    path: IntArray
    path_boxes: FloatArray
    new_sides: FloatArray
    new_boxes: FloatArray
    new_tails: FloatArray


@part
def copy(source: np.ndarray, target: np.ndarray) -> None:
    """Copy the entries of an array to another one; an assignment would make room for a third."""
    for k in range(len(source)):
        target[k] = source[k]
