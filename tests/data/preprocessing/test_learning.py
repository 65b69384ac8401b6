"""What is learnt of a column: properties that hold for any cells and any labels."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from margintree.data.preprocessing import BooleanColumn, CategoryColumn, LeftOut, NumberColumn
from margintree.data.preprocessing.cells import Cells, object_array
from margintree.data.preprocessing.learning import ColumnLearner, oddity

words = st.none() | st.sampled_from("uvwxyz")
numbers = st.none() | st.integers(-3, 3) | st.floats(-9, 9, width=16)
booleans = st.sampled_from([None, True, False])


def learnt(cells, labels=None, min_share=0.0, max_levels=20):
    labels = [0] * len(cells) if labels is None else labels
    learner = ColumnLearner.on(labels, min_share, max_levels)
    return learner.column(Cells("c", object_array(cells)))


@given(st.lists(numbers, min_size=1, max_size=15))
def test_a_missing_number_becomes_the_lower_median(cells):
    """It is one of the numbers; a column of equal numbers is left out."""
    column = learnt(cells)
    present = sorted(cell for cell in cells if cell is not None)
    if len({*present}) < 2:
        assert isinstance(column, LeftOut)
    else:
        assert isinstance(column, NumberColumn)
        assert column.fill == present[(len(present) - 1) // 2]


@given(st.lists(booleans, min_size=1, max_size=15))
def test_a_missing_boolean_becomes_the_more_frequent_one(cells):
    """False, if both are as frequent."""
    column = learnt(cells)
    n_true, n_false = cells.count(True), cells.count(False)
    if n_true and n_false:
        assert column == BooleanColumn("c", False, fill=float(n_true > n_false))
    else:
        assert isinstance(column, LeftOut)


@given(st.lists(words, min_size=1, max_size=25), st.floats(0, 1), st.integers(1, 5))
def test_levels_are_the_most_frequent_texts(cells, min_share, max_levels):
    """Each in two rows and in the least share of the rows; others have one feature together."""
    column = learnt(cells, min_share=min_share, max_levels=max_levels)
    counts = Counter(cell for cell in cells if cell is not None)
    often = [word for word in counts if counts[word] >= max(2, min_share * len(cells))]
    if isinstance(column, LeftOut):
        n_shown = sum(sorted((counts[word] for word in often), reverse=True)[:max_levels])
        assert len(counts) <= 1 or n_shown < counts.total() / 2
        return
    assert {*column.levels} <= {*often}
    assert len(column.levels) == min(len(often), max_levels)
    beaten = max((counts[word] for word in often if word not in column.levels), default=0)
    assert min(counts[level] for level in column.levels) >= beaten
    assert column.groups_others == (len(counts) > len(column.levels))


@given(st.lists(words, min_size=1, max_size=25))
def test_every_kind_of_cell_that_is_not_missing_can_be_told_from_the_others(cells):
    """And with two kinds, one feature is enough."""
    column = learnt(cells)
    if isinstance(column, LeftOut):
        return
    values = np.arange(len(column.levels) + column.groups_others, dtype=float)
    features = column.encoded(values)
    assert len(np.unique(features, axis=0)) == len(values)
    assert features.shape[1] == (1 if len(values) == 2 else len(values))


@given(st.lists(st.tuples(words, st.sampled_from("ab")), min_size=1, max_size=20), st.randoms())
def test_the_order_of_the_rows_does_not_count(rows, random):
    """Nor what the classes are called."""
    shuffled = random.sample(rows, len(rows))
    first = learnt(*zip(*rows, strict=True))
    again = learnt(*zip(*[(cell, {"a": 7, "b": 5}[y]) for cell, y in shuffled], strict=True))
    assert first == again


@pytest.mark.parametrize("size", [2, 5, 40])
def test_missing_gets_a_feature_only_if_it_says_something(size):
    """In all rows of a class from some size on; in half of every class never."""
    labels = ["a"] * size + ["b"] * size
    by_class = [None] * size + [1.0, 2.0] * size
    anywhere = [None, 1.0, 2.0, None] * size
    assert learnt(by_class[: 2 * size], labels).marks_missing == (size > 2)
    assert not learnt(anywhere[: 2 * size], labels).marks_missing


@pytest.mark.parametrize(
    ("cells", "is_used"),
    [
        (range(1, 21), False),
        (range(-5, 20), False),
        (np.random.default_rng(0).permutation(30).tolist(), False),
        (range(1, 20), True),
        ([*range(1, 21), None], True),
        ([1, 1, *range(3, 21)], True),
        (range(1, 61, 2), True),
        (np.arange(30) + 0.5, True),
    ],
)
def test_numbers_of_rows_are_no_feature(cells, is_used):
    """Twenty or more whole numbers, each once, without a gap, in any order."""
    assert isinstance(learnt(list(cells)), NumberColumn if is_used else LeftOut)


def test_consecutive_days_are_a_feature():
    """A table with one row for every day may have a trend; other counts only number its rows."""
    days = object_array(range(8766, 8796))
    learner = ColumnLearner.on([0] * 30, 0.0, 20)
    assert isinstance(learner.column(Cells("seen (days)", days)), NumberColumn)
    assert isinstance(learner.column(Cells("seen", days)), LeftOut)


@pytest.mark.parametrize(
    ("cells", "remark"),
    [
        (["1", "2", "x"], "2 of its 3 cells are numbers, and text such as 'x' (row 3)"),
        (["1", None, "x"], "1 of its 2 cells are numbers, and text such as 'x' (row 3)"),
        (["1", "x", "y"], ""),
        (["1", "2"], ""),
        ([None, ""], ""),
    ],
)
def test_a_column_of_mostly_numbers_is_odd(cells, remark):
    """Unless all cells are numbers, or the table says that they are categories."""
    column = Cells("c", object_array(cells))
    assert oddity(column).startswith(remark) if remark else not oddity(column)
    assert not oddity(Cells("c", column.values, is_category=True))


def test_levels_are_sorted_and_ties_are_broken_by_the_alphabet():
    """The same column is learnt on every machine."""
    column = learnt(["z", "y", "x", "z", "y", "x"], max_levels=2)
    assert column == CategoryColumn("c", False, ("x", "y"), None, groups_others=True)
