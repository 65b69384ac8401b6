"""Leaves that must have a least weight: which nodes leave too little for them, and what to decide.

A rule only takes trees away, so every bound holds with it. But a node is no longer done when the
rows that are left cost nothing: their tree may have a leaf that is too light. Then one of the rows
that could go there is decided, until the leaf is heavy enough or the rest is too light to fill it.
"""

from margintree._lib.arrays import FloatArray
from margintree._lib.jit import bare_kernel, part
from margintree.exact.proofs.kernels.branching import price_below, score_rows, way_price
from margintree.exact.proofs.kernels.state import Desk, Frame, RowData, Stack

ROUNDING = 1e-12
"""Share of the weight of all rows by which sums of weights may err."""


@bare_kernel
def lacks_mass(rows: RowData, frame: Frame, stack: Stack, level: int, missing: FloatArray) -> bool:
    """Tell whether the undecided rows are too light to fill all leaves that lack weight.

    A bag of classes stands for at least so many leaves.
    """
    if rows.least_mass <= 0:
        return False
    total = 0.0
    for node in range(len(missing)):
        is_end = frame.classes[node] != 0 and not frame.is_split[node]
        missing[node] = rows.least_mass * n_bits(frame.classes[node]) if is_end else 0.0
    for i in range(len(rows.masses)):
        missing[stack.places[level, i]] -= rows.masses[i]
        total += rows.masses[i]
    for node in range(len(missing) - 1, 0, -1):
        if frame.is_split[node]:
            missing[node] += max(missing[2 * node], 0.0) + max(missing[2 * node + 1], 0.0)
    return bool(missing[1] > ROUNDING * total)


@part
def n_bits(classes: int) -> int:
    """Return how many classes a set has."""
    count = 0
    while classes != 0:
        classes &= classes - 1
        count += 1
    return count


@bare_kernel
def rank_undecided(
    rows: RowData,
    frame: Frame,
    stack: Stack,
    desk: Desk,
    level: int,
    dear: float,
    is_complete: bool,
) -> int:
    """Rank the undecided rows; return the best, or -1 where none has to be decided.

    At first rows count that would add more than ``dear``. Where every end is a leaf, rows that
    could fill one that is too light come next.
    """
    best = score_rows(rows, frame, stack, desk, level, dear)
    if best < 0 and is_complete:
        best = score_for_mass(rows, frame, stack, desk, level)
    return best


@part
def score_for_mass(rows: RowData, frame: Frame, stack: Stack, desk: Desk, level: int) -> int:
    """Rank the undecided rows that could fill the lightest leaf at present; return the best.

    The less it costs a row to go there, the higher its score. Returns -1 if no leaf is too light.
    """
    if rows.least_mass <= 0:
        return -1
    leaf = lightest_leaf(rows, frame, stack, desk, level)
    best, highest = -1, 0.0
    for i in range(len(rows.masses)):
        desk.scores[i] = 0.0
        node = stack.places[level, i]
        if leaf < 0 or not is_below(leaf, node) or end_of(frame, desk, i, node) == leaf:
            continue
        price_below(rows, frame, desk, i)
        for o in range(frame.n_options[node, rows.y[i]]):
            to = frame.options[node, rows.y[i], o]
            if to == leaf or is_below(leaf, to):
                desk.scores[i] = 1 / (1 + way_price(rows, frame, desk, i, node, to))
        if desk.scores[i] > highest:
            best, highest = i, desk.scores[i]
    return best


@part
def lightest_leaf(rows: RowData, frame: Frame, stack: Stack, desk: Desk, level: int) -> int:
    """Return the lightest leaf of the tree of the present hyperplanes, -1 if none is too light."""
    desk.leaf_masses[:] = 0.0
    for i in range(len(rows.masses)):
        desk.leaf_masses[end_of(frame, desk, i, stack.places[level, i])] += rows.masses[i]
    leaf, least = -1, rows.least_mass
    for node in range(1, len(frame.is_split)):
        is_end = frame.classes[node] != 0 and not frame.is_split[node]
        if is_end and desk.leaf_masses[node] < least:
            leaf, least = node, desk.leaf_masses[node]
    return leaf


@bare_kernel
def end_of(frame: Frame, desk: Desk, i: int, node: int) -> int:
    """Return the leaf to which the present hyperplanes send a row from a node."""
    while frame.is_split[node]:
        node = 2 * node + (desk.f[node, i] > 0)
    return node


@bare_kernel
def is_below(node: int, above: int) -> bool:
    """Tell whether a node is below another one."""
    while node > above:
        node //= 2
        if node == above:
            return True
    return False
