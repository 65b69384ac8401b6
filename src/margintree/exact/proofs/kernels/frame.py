"""What follows from a skeleton alone: ways on, least prices, prices of pairs."""

import numpy as np

from margintree._lib.arrays import BoolArray, FloatArray, IntArray
from margintree._lib.jit import bare_kernel, kernel, part
from margintree.exact.proofs.kernels.state import FIRST, LAST, Frame, RowData, Stack


@kernel
def frame_of(
    rows: RowData, is_split: BoolArray, classes: IntArray, twins: BoolArray, grid: FloatArray
) -> Frame:
    """Return a skeleton as the other kernels want it."""
    n_nodes, n = len(is_split), len(rows.y)
    n_classes = rows.prices.shape[1]
    slots = np.zeros(n_nodes, dtype=np.int64)
    least = np.zeros((n_nodes, n))
    n_splits = 0
    for node in range(1, n_nodes):
        if is_split[node]:
            slots[node] = n_splits
            n_splits += 1
        if classes[node] != 0:
            for i in range(n):
                least[node, i] = cheapest(rows, classes[node], i)
    n_options = np.zeros((n_nodes, n_classes), dtype=np.int64)
    options = np.zeros((n_nodes, n_classes, n_nodes // 2), dtype=np.int64)
    waiting = np.zeros(n_nodes, dtype=np.int64)
    for node in range(1, n_nodes):
        if is_split[node]:
            for k in range(n_classes):
                n_options[node, k] = ways_on(is_split, classes, node, k, waiting, options[node, k])
    pair_errors = np.zeros(len(rows.first))
    for q in range(len(pair_errors)):
        pair_errors[q] = pair_error(rows, classes[1], least[1], rows.first[q], rows.second[q])
    return Frame(is_split, twins, classes, slots, least, n_options, options, pair_errors, grid)


@part
def cheapest(rows: RowData, classes: int, i: int) -> float:
    """Return the least price of calling a row one of the classes."""
    best = np.inf
    for k in range(rows.prices.shape[1]):
        if classes >> k & 1:
            best = min(best, rows.prices[i, k])
    return best


@part
def ways_on(
    is_split: BoolArray,
    classes: IntArray,
    node: int,
    own: int,
    waiting: IntArray,
    found: IntArray,
) -> int:
    """Write the nodes among which a row of a class at a splitting node decides; return how many.

    Where its class is named below, these are the ends that name it and the largest subtrees that
    do not; every way down passes exactly one of them. Otherwise they are the two children.
    """
    n_found, n_waiting = 0, 2
    waiting[0], waiting[1] = 2 * node + 1, 2 * node
    descends = classes[node] >> own & 1
    while n_waiting > 0:
        n_waiting -= 1
        below = waiting[n_waiting]
        if descends and is_split[below] and classes[below] >> own & 1:
            waiting[n_waiting], waiting[n_waiting + 1] = 2 * below + 1, 2 * below
            n_waiting += 2
        else:
            found[n_found] = below
            n_found += 1
    return n_found


@bare_kernel
def pair_error(rows: RowData, classes: int, least: FloatArray, i: int, j: int) -> float:
    """Return what two rows in one leaf pay together beyond what each pays at least anyway."""
    best = np.inf
    for k in range(rows.prices.shape[1]):
        if classes >> k & 1:
            best = min(best, rows.prices[i, k] + rows.prices[j, k])
    return float(best - least[i] - least[j])


@bare_kernel
def price_pairs(
    rows: RowData,
    frame: Frame,
    stack: Stack,
    level: int,
    skip: int,
    is_busy: BoolArray,
    is_free: BoolArray,
    pairs: FloatArray,
) -> None:
    """Write, by cell, what disjoint pairs of undecided rows pay at least.

    Take two rows that are known to reach the same node. In the end either they are in one leaf and
    pay `pair_error` beyond what is paid already, or a hyperplane below that node is between them.
    Its values at the two rows differ by at most S times their distance d, so their violations
    there add up to at least ``2 - S d``. Both rows have no terms below that node among those of
    decided rows, and disjoint pairs share none. The price falls as S grows, so that of the upper
    end of a cell holds in all of it. Pairs are taken greedily, the closest first, until they are
    too far apart to pay in any open cell.
    """
    n_free, places = 0, stack.places[level]
    for i in range(len(is_free)):
        classes = frame.classes[places[i]]
        is_free[i] = (
            i != skip
            and not is_busy[i]
            and classes >> rows.y[i] & 1
            and classes & (classes - 1) != 0
        )
        n_free += is_free[i]
    pairs[:] = 0.0
    least = frame.grid[stack.moves[level, FIRST] + 1]
    for q in range(len(rows.first)):
        if rows.distances[q] * least >= 2:
            break
        i, j = rows.first[q], rows.second[q]
        if not (is_free[i] and is_free[j] and places[i] == places[j]):
            continue
        error = frame.pair_errors[q]
        if places[i] != 1:
            error = pair_error(rows, frame.classes[places[i]], frame.least[places[i]], i, j)
        if not error > 0:
            continue
        is_free[i] = is_free[j] = False
        pull = min(rows.pull[i], rows.pull[j])
        for c in range(stack.moves[level, FIRST], stack.moves[level, LAST]):
            overlap = 2 - rows.distances[q] * frame.grid[c + 1]
            if overlap <= 0:
                break
            pairs[c] += min(error, pull * overlap)
        n_free -= 2
        if n_free < 2:
            break
