"""The kernels of the native method against slow twins."""

import numpy as np
import pytest

from margintree.core.axis_tree import feature_ranks
from margintree.search.axis.kernels import RankTable, best_pair, best_sides, find_cuts


def some_rows(seed):
    """Return a table, the rows at hand by rank, and a generator for more choices."""
    rng = np.random.default_rng(seed)
    n, p, K = int(rng.integers(2, 14)), int(rng.integers(1, 4)), int(rng.integers(1, 4))
    ranks = feature_ranks(rng.integers(0, 6, (n, p)).astype(float))
    weights = rng.integers(1, 4, n).astype(float)
    price = float(rng.choice([0.0, 0.5, 2.0]))
    table = RankTable(ranks, rng.integers(0, K, n), weights, K, price)
    at_hand = np.sort(rng.choice(n, size=int(rng.integers(1, n + 1)), replace=False))
    orders = at_hand[np.argsort(ranks[:, at_hand], axis=1, kind="stable")]
    return table, orders, rng


def slow_leaf(table, rows):
    """Return the weight of all rows that are not of the heaviest class."""
    mass = np.bincount(table.y[rows], table.weights[rows], minlength=table.n_classes)
    return mass.sum() - mass.max()


def slow_cuts(table, rows, least):
    """Yield feature, rank and both sides of every threshold that leaves enough on both."""
    for j, ranks in enumerate(table.ranks):
        for rank in np.unique(ranks[rows])[1:]:
            left, right = rows[ranks[rows] < rank], rows[ranks[rows] >= rank]
            if min(table.weights[left].sum(), table.weights[right].sum()) >= least:
                yield j, rank, left, right


def slow_side(table, rows, may_split, least):
    """Return what some rows cost as a leaf or, if allowed, split once."""
    costs = [slow_leaf(table, rows)] if len(rows) else [0.0]
    if may_split:
        for _, _, left, right in slow_cuts(table, rows, least):
            costs.append(table.split_price + slow_leaf(table, left) + slow_leaf(table, right))
    return min(costs)


@pytest.mark.parametrize("seed", range(60))
def test_best_sides_is_the_best_of_all_stumps(seed):
    """Both costs are right, and the places that are named really cost that."""
    table, orders, rng = some_rows(seed)
    sides = rng.integers(0, 2, len(table.y))
    may_split = bool(rng.integers(2)), bool(rng.integers(2))
    least, places = rng.choice([0.0, 2.0, 5.0], 2), np.zeros((2, 2), np.int64)
    costs = best_sides(table, orders, sides, may_split, least, places)
    for side in range(2):
        rows = np.sort(orders[0][sides[orders[0]] == side])
        assert costs[side] == slow_side(table, rows, may_split[side], least[side])
        j, rank = places[side]
        if j >= 0:
            is_right = table.ranks[j, rows] >= rank
            below = slow_leaf(table, rows[is_right]) + slow_leaf(table, rows[~is_right])
            assert costs[side] == table.split_price + below


@pytest.mark.parametrize("seed", range(30))
def test_find_cuts_lists_all_thresholds(seed):
    """Those that leave enough weight on both sides, with the weight below."""
    table, orders, rng = some_rows(seed)
    least = float(rng.choice([0.0, 2.0, 5.0]))
    for j in range(len(orders)):
        cuts, below = np.zeros(orders.shape[1], np.int64), np.zeros(orders.shape[1])
        n_cuts = find_cuts(table, orders, j, least, cuts, below)
        slow = [cut for cut in slow_cuts(table, np.sort(orders[0]), least) if cut[0] == j]
        assert cuts[:n_cuts].tolist() == [rank for _, rank, _, _ in slow]
        assert below[:n_cuts].tolist() == [table.weights[left].sum() for _, _, left, _ in slow]


@pytest.mark.parametrize("seed", range(120))
def test_best_pair_is_the_best_of_all_trees_of_two_levels(seed):
    """Whatever may split, and whatever a leaf must weigh; what costs too much is not returned."""
    table, orders, rng = some_rows(seed)
    rows, least = np.sort(orders[0]), float(rng.choice([0.0, 2.0, 3.0, 5.0]))
    may_split = bool(rng.integers(2)), bool(rng.integers(2))
    every = [
        table.split_price
        + slow_side(table, left, may_split[0], least)
        + slow_side(table, right, may_split[1], least)
        for _, _, left, right in slow_cuts(table, rows, least)
    ]
    features, places = np.arange(len(orders)), np.full((3, 2), -1)
    best = best_pair(table, orders, features, may_split, least, np.inf, places)
    assert best == min(every, default=np.inf)
    if every:
        assert slow_tree(table, rows, places, least) == best
        assert best_pair(table, orders, features, may_split, least, best, places) == best
        assert best_pair(table, orders, features, may_split, least, best / 2, places) == best / 2


def slow_tree(table, rows, places, least, node=0):
    """Return what the splits at these places cost, or infinity if a leaf is too light."""
    if node >= len(places) or places[node, 0] < 0:
        return slow_leaf(table, rows) if table.weights[rows].sum() >= least else np.inf
    is_right = table.ranks[places[node, 0], rows] >= places[node, 1]
    left = slow_tree(table, rows[~is_right], places, least, 2 * node + 1)
    return table.split_price + left + slow_tree(table, rows[is_right], places, least, 2 * node + 2)
