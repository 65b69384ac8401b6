"""Skeletons: none is missing, none comes twice, and bags are refined into all that fits them."""

import numpy as np
import pytest

from margintree.exact.proofs.skeletons import Skeleton, first_skeletons


def complete(depth, n_classes, cutoff=np.inf):
    """Return the shapes of all complete skeletons that refinement leads to, in its order."""
    prices = 1.0 - np.eye(n_classes)
    waiting = list(first_skeletons(prices, 0.0, depth, cutoff))
    found = []
    while waiting:
        skeleton = waiting.pop()
        if skeleton.is_complete:
            found.append(skeleton.shape)
        else:
            waiting += skeleton.refinements()
    return found


def enumerated(depth, n_classes):
    """Return all shapes without flips by the rule: labels, and pairs but for equal leaves."""
    level = {1 << k for k in range(n_classes)}
    for _ in range(depth):
        level = {1 << k for k in range(n_classes)} | {
            frozenset([(one, 1), (other, 2 if one == other else 1)])
            for one in level
            for other in level
            if not (isinstance(one, int) and one == other)
        }
    return level


def unordered(shape):
    """Return a shape in a form in which the order of subtrees does not matter."""
    if isinstance(shape, int):
        return shape
    one, other = map(unordered, shape)
    return frozenset([(one, 1), (other, 2 if one == other else 1)])


@pytest.mark.parametrize(("depth", "n_classes"), [(1, 2), (1, 4), (2, 2), (2, 3), (2, 5), (3, 2)])
def test_refinement_leads_to_every_skeleton_once(depth, n_classes):
    """The complete skeletons are those of the rule, and flips of one another do not both appear."""
    found = [unordered(shape) for shape in complete(depth, n_classes)]
    expected = enumerated(depth, n_classes)
    assert set(found) == expected
    # Two equal bags below a split of unequal ones may be refined in either order, so a few repeat.
    assert len(found) <= 1.5 * len(expected)


def test_the_number_of_skeletons_of_three_classes_is_known():
    """Three classes at depth two: three leaves and eighteen shapes with splits."""
    assert len(complete(2, 3)) == 21


def test_sets_of_classes_that_cost_too_much_are_left_out():
    """With rows of weight 5 in each class and a cutoff of 4 every class must be named."""
    prices = np.repeat(5 * (1.0 - np.eye(3)), 1, axis=0)
    (skeleton,) = first_skeletons(prices, 0.1, depth=2, cutoff=4.0)
    assert skeleton.classes == 0b111


def test_a_set_of_many_classes_is_never_larger_than_the_leaves():
    """At depth one at most two of five classes are named."""
    found = list(first_skeletons(1.0 - np.eye(5), 0.0, depth=1, cutoff=np.inf))
    assert {skeleton.classes.bit_count() for skeleton in found} == {1, 2}
    assert len(found) == 5 + 10


def test_arrays_say_what_is_at_each_node():
    """Splits, classes below and equal subtrees of a skeleton with a bag."""
    is_split, classes, twins = Skeleton((0b011, (0b001, 0b010)), depth=2).arrays()
    assert np.flatnonzero(is_split).tolist() == [1, 3]
    assert classes[[1, 2, 3, 6, 7]].tolist() == [0b011, 0b011, 0b011, 0b001, 0b010]
    assert not twins.any()
    assert Skeleton((0b011, 0b011), depth=2).arrays()[2][1]


def test_the_least_number_of_splits_counts_what_bags_still_need():
    """A bag of three classes needs two splits."""
    assert Skeleton((0b111, 0b001), depth=3).n_splits == 3
