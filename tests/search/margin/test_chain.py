"""One chain: a start, then steps that are kept if they gain, within its limits."""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from margin_searches import CLOUDS, IRIS
from margintree.core.judges import price_margins
from margintree.search.margin import chain as chains
from margintree.search.margin import kicks, leaf_groups, starts
from margintree.search.margin.chain import (
    GROUP_SHARE,
    Chain,
    Found,
    Parts,
    Step,
    has_room_for_groups,
    improve,
    run_chain,
)
from margintree.search.margin.groupings import make_groupings
from margintree.search.margin.kernel_data import to_tree
from margintree.search.margin.local_search import LocalSearch
from working_trees import kernel_data_of, local_search_for

LEAST_WITH_GROUPS = 1 + GROUP_SHARE * leaf_groups.LEAST_DESCENTS
"""Descents of the shortest chain that improves its leaf groups, after a first one."""
FEW = Parts(max_failures=3)


def chain_of(iterations, number=1, **changes):
    """Return what a chain is to do that begins afresh."""
    how = {"seed": 0, "origin": None, "scale": 2.0} | changes
    return Chain(number, max_iterations=iterations, **how)


def run(chain, parts=FEW, problem=IRIS, is_over=lambda: False):
    """Return what a chain finds, and the local search that it leaves behind."""
    local = LocalSearch(kernel_data_of(problem))
    return run_chain(local, chain, parts, make_groupings(problem, 0), is_over), local


def check(found, local, problem=IRIS):
    """Assert that the tree costs what the chain says, and that it is on the local search."""
    judged = price_margins(problem, to_tree(problem, found.working))
    assert judged.is_allowed
    assert judged.total == pytest.approx(found.cost) == local.price()
    np.testing.assert_array_equal(local.working.weights, found.working.weights)


def counting(monkeypatch, owner, name):
    """Return a list that grows with every call of a function."""
    calls, function = [], getattr(owner, name)
    monkeypatch.setattr(
        owner, name, lambda *given, **more: calls.append(given) or function(*given, **more)
    )
    return calls


@pytest.mark.parametrize(
    ("limit", "has_groups"),
    [(LEAST_WITH_GROUPS - 1, False), (LEAST_WITH_GROUPS, True), (100, True)],
)
def test_a_chain_keeps_its_limit(limit, has_groups, monkeypatch):
    """Leaf groups count as many descents as take as long."""
    improved = counting(monkeypatch, leaf_groups, "improve_groups")
    descended = counting(monkeypatch, LocalSearch, "descend")
    found, local = run(chain_of(limit, worth=1e3))
    on_groups = leaf_groups.DESCENTS * len(improved)
    assert (on_groups > 0) == has_groups == has_room_for_groups(limit)
    assert found.iterations == on_groups + len(descended) <= limit
    check(found, local)


def test_a_chain_after_the_end_does_nothing_unless_it_is_the_first(monkeypatch):
    """Chains are lined up before earlier ones end; those that come too late cost no time."""
    descended = counting(monkeypatch, LocalSearch, "descend")
    late, _ = run(chain_of(50, number=2), is_over=lambda: True)
    assert (late.cost, late.iterations, len(descended)) == (np.inf, 0, 0)
    first, local = run(chain_of(50, number=1), is_over=lambda: True)
    assert len(descended) == 1
    check(first, local)


def test_leaf_groups_and_kicks_follow_each_other_while_they_gain(monkeypatch):
    """Groups take their share of what is left. The chain is stuck when both gain nothing."""
    taken, most, costs = [], [], iter([9.0, 8.0, 7.0, 7.0, 7.0, 7.0])

    def gain(_local, found, step, max_iterations, _known):
        taken.append(step.slack > 0)
        most.append(max_iterations - found.iterations)
        return Found(next(costs), found.working, found.iterations + 1)

    monkeypatch.setattr(chains, "improve", gain)
    found, _ = run(chain_of(300, worth=0.0))
    assert taken == [False, True] * 3
    assert most == [299 // GROUP_SHARE, 298, 297 // GROUP_SHARE, 296, 295 // GROUP_SHARE, 294]
    assert (found.cost, found.iterations) == (7.0, 7)


@pytest.mark.parametrize("depth", [1, 2])
def test_without_leaf_groups_there_are_only_kicks(depth, monkeypatch):
    """A tree of one split has none to rearrange, so its chain ends after one row of failures."""
    used = []
    monkeypatch.setattr(leaf_groups, "rearrange", lambda *_: used.append("groups") or (np.inf, 23))
    parts = Parts(kicks=(lambda *_: used.append("kick"),), max_failures=5)
    found, _ = run(chain_of(300), parts, problem=replace(IRIS, depth=depth))
    assert ("groups" in used) == (depth > 1)
    if depth == 1:
        assert found.iterations - 1 == len(used) <= 10


@pytest.mark.parametrize("number", [1, 2, 7])
def test_nothing_but_the_chain_decides_what_is_found(number):
    """The same chain finds the same on a local search that another chain has used."""
    groupings = make_groupings(CLOUDS, 0)
    local = LocalSearch(kernel_data_of(CLOUDS))
    run_chain(local, chain_of(5, number=9), FEW, groupings, lambda: False)
    again = run_chain(local, chain_of(20, number), FEW, groupings, lambda: False)
    first, _ = run(chain_of(20, number), problem=CLOUDS)
    assert (first.cost, first.iterations) == (again.cost, again.iterations)
    np.testing.assert_array_equal(first.working.weights, again.working.weights)


def test_chains_of_other_numbers_and_seeds_are_other_chains():
    """So that a search does not look at one place all the time."""
    changes = [{"number": number, "seed": seed} for number in (1, 2, 3) for seed in (0, 1)]
    costs = {run(chain_of(1, **change), problem=CLOUDS)[0].cost for change in changes}
    assert len(costs) > 1


def test_starts_take_turns():
    """Two chains with each, then the next one."""
    used = []
    parts = Parts(starts=tuple(lambda *_, k=k: used.append(k) for k in range(3)), max_failures=0)
    for number in range(1, 9):
        run(chain_of(1, number), parts)
    assert used == [0, 1, 1, 2, 2, 0, 0, 1]


def test_a_chain_that_goes_on_from_a_tree_is_no_worse():
    """The tree is where it begins; it stays as it is, and no start is laid down."""
    known, _ = run(chain_of(10))
    before = known.working.weights.copy()
    parts = Parts(starts=(), max_failures=3)
    found, local = run(chain_of(10, 5, origin=known.working), parts)
    assert found.cost <= known.cost * (1 + 1e-9)
    np.testing.assert_array_equal(known.working.weights, before)
    check(found, local)


def test_a_fresh_chain_ends_where_earlier_ones_have_been():
    """One that continues from a tree does not, because it begins there."""
    long = Parts(max_failures=20)
    full, _ = run(chain_of(200), long)
    ended, _ = run(chain_of(200, known=full.cost * 1.001), long)
    assert ended.cost <= full.cost * 1.002
    assert ended.iterations < full.iterations
    resumed, _ = run(chain_of(200, known=full.cost * 1.001, origin=full.working), long)
    assert resumed.iterations > long.max_failures


def test_a_chain_ends_with_the_clock():
    """After its first tree, which is there, without a single kick."""
    used = []
    parts = Parts(kicks=(lambda *_: used.append(1),))
    found, local = run(chain_of(200), parts, is_over=lambda: True)
    assert (found.iterations, used) == (1, [])
    check(found, local)


@pytest.mark.parametrize(("worth", "n_polished"), [(np.inf, 1), (0.0, 0)])
def test_only_what_may_be_the_best_is_polished_exactly(worth, n_polished, monkeypatch):
    """It takes long, and changes little."""
    polished = counting(monkeypatch, LocalSearch, "polish")
    found, local = run(chain_of(10, worth=worth))
    assert len(polished) == n_polished
    assert found.cost == pytest.approx(local.price())


@pytest.mark.parametrize("depth", [1, 2])
def test_a_chain_gives_up_after_failures_in_a_row(depth):
    """Kicks that change nothing gain nothing."""
    used = []
    parts = Parts(kicks=(lambda *_: used.append(1),), max_failures=7)
    found, _ = run(chain_of(30), parts)
    assert len(used) == found.iterations - 1 <= 29
    assert len(used) >= 7
    usual = Parts.usual(replace(IRIS, depth=depth))
    assert usual.kicks == (kicks.KICKS_OF_ONE_SPLIT if depth == 1 else kicks.KICKS)
    assert usual.starts == (starts.from_random_groups, starts.from_best_divisions)


@pytest.mark.parametrize("depth", [1, 2])
def test_rows_are_rerouted_only_where_any_sides_are_possible(depth):
    """With a price of features the hyperplane between exactly these sides uses too many."""
    problem = replace(IRIS, depth=depth)
    priced = replace(problem, costs=replace(IRIS.costs, features=0.5))
    assert {*Parts.usual(problem).kicks} - {*Parts.usual(priced).kicks} == {kicks.reroute}


def stepping(local, changes, taken):
    """Return steps that set the first weight; they cost its size and as many descents as told."""
    costs = iter(changes)

    def take(limit, left):
        taken.append((limit, left))
        cost, descents = next(costs)
        local.working.weights[1, 0] = cost
        return cost, descents

    return take


def test_steps_that_gain_are_kept_and_others_undone():
    """Too many failures in a row end it; a gain begins a new row."""
    local, taken = local_search_for(IRIS), []
    first = Found(10.0, local.take(), iterations=1)
    changes = [(11.0, 1), (9.0, 1), (9.0, 1), (12.0, 1), (8.0, 2), (8.0 - 1e-9, 1)] + [(8.5, 1)] * 9
    step = Step(stepping(local, changes, taken), least=1, max_failures=3)
    found = improve(local, first, step, 100)
    assert (found.cost, found.iterations) == (8.0, 1 + 7 + 2)
    assert found.working.weights[1, 0] == local.working.weights[1, 0] == 8.0
    assert taken[0] == (10.0 * chains.HOPELESS, 99)
    assert taken[2] == (9.0 * chains.HOPELESS, 97)


def test_kicks_go_on_from_slightly_worse_trees():
    """But never from one far above the best, which is what remains in the end."""
    local, taken = local_search_for(IRIS), []
    first = Found(10.0, local.take(), iterations=1)
    changes = [(10.5, 1), (10.5 * (1 + chains.MOST_ABOVE), 1), (10.6, 1), (9.5, 1), (9.6, 1)]
    steps = stepping(local, [*changes, *[(99.0, 1)] * 3], taken)
    found = improve(local, first, Step(steps, least=1, max_failures=4, slack=1e6), 100)
    limits = [limit / chains.HOPELESS for limit, _ in taken]
    assert limits == pytest.approx([10.0, 10.5, 10.5, 10.6, 9.5, 9.6, 9.6, 9.6])
    assert found.cost == found.working.weights[1, 0] == local.working.weights[1, 0] == 9.5


def test_no_step_is_begun_for_which_there_is_no_room():
    """It is told how much room there is, and a step may be longer than one descent."""
    local, taken = local_search_for(IRIS), []
    first = Found(10.0, local.take(), iterations=1)
    step = Step(stepping(local, [(9.0, 4), (8.0, 4), (7.0, 4)], taken), least=4, max_failures=9)
    found = improve(local, first, step, 12)
    assert (found.cost, found.iterations) == (8.0, 9)
    assert [left for _, left in taken] == [11, 7]


def test_no_step_is_begun_when_time_is_over():
    """The tree is the one that was there."""
    local, taken = local_search_for(IRIS), []
    local.is_over = lambda: len(taken) == 1
    first = Found(10.0, local.take(), iterations=1)
    step = Step(stepping(local, [(9.0, 1), (8.0, 1)], taken), least=1, max_failures=9)
    assert improve(local, first, step, 50).cost == 9.0
    assert improve(local, first, step, 50) == first


def test_a_tree_without_splits_is_built_anew():
    """There is nothing else that a kick could change, whichever was drawn."""
    local = local_search_for(IRIS)
    local.rng = np.random.default_rng(0)
    parts = Parts(kicks=(None,))
    cost, descents = chains.leap(local, parts, make_groupings(IRIS, 0), np.inf, 1)
    assert descents == 1
    assert len(local.splitting_nodes())
    assert cost == pytest.approx(local.price())


def test_a_kick_that_promises_nothing_is_given_up():
    """Above the limit after repair, no descent is spent on it."""
    local = local_search_for(IRIS)
    kick = partial(chains.leap, local, Parts.usual(IRIS), make_groupings(IRIS, 0))
    assert kick(-1.0, 1) == (np.inf, 1)
