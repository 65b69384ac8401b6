"""What a certificate says of a node: duals at a given norm, and pairs of undecided rows."""

from margintree._lib.arrays import IntArray
from margintree._lib.jit import bare_kernel
from margintree.exact.proofs.kernels.bounds import ascend_splits
from margintree.exact.proofs.kernels.frame import pair_error
from margintree.exact.proofs.kernels.state import NORM, Desk, Frame, RowData, Stack

TOLERANCE = 1e-5
"""Of the slopes of a dual."""


@bare_kernel
def solve_splits(
    rows: RowData,
    frame: Frame,
    stack: Stack,
    desk: Desk,
    norm: float,
    enough: float,
    max_steps: int,
) -> None:
    """Improve the duals of the first level at a norm, where ``enough`` is more than is needed."""
    stack.levels[0, NORM] = norm
    ascend_splits(rows, frame, stack, desk, 0, enough, max_steps, TOLERANCE)


@bare_kernel
def pick_pairs(rows: RowData, frame: Frame, stack: Stack, desk: Desk, found: IntArray) -> int:
    """Write the pairs of `price_pairs` at the first level; return how many there are."""
    n_found, places = 0, stack.places[0]
    for i in range(len(places)):
        classes = frame.classes[places[i]]
        desk.is_free[i] = classes >> rows.y[i] & 1 and classes & (classes - 1) != 0
    for q in range(len(rows.first)):
        i, j = rows.first[q], rows.second[q]
        if not (desk.is_free[i] and desk.is_free[j] and places[i] == places[j]):
            continue
        if pair_error(rows, frame.classes[places[i]], frame.least[places[i]], i, j) > 0:
            desk.is_free[i] = desk.is_free[j] = False
            found[n_found, 0], found[n_found, 1] = i, j
            n_found += 1
    return n_found
