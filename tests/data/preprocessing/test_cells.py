"""Cells of tables: their texts, their numbers, and the words about those that are refused."""

import decimal
import re

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from margintree import InvalidInputError
from margintree.data.preprocessing.cells import (
    MISSING_WORDS,
    Cells,
    cells_of,
    is_number,
    is_whole,
    object_array,
    shortened,
    text_of,
)

finite = st.floats(allow_nan=False, allow_infinity=False)


def cells(*values, **about):
    return Cells("c", object_array(values), **about)


@given(finite | st.integers(-(10**30), 10**30) | st.decimals(allow_nan=False, allow_infinity=False))
def test_every_number_that_python_writes_is_read_back(number):
    """As text it is a number, and the same one, whatever its type."""
    text = text_of(number)
    assert is_number(text)
    assert float(text) == float(number)


@given(st.text("0123456789+-.eEinfty_ ,xa", max_size=8))
def test_a_text_that_is_a_number_is_one_to_python(text):
    """The other way round, Python also takes underscores, surrounding spaces and words for NaN."""
    if is_number(text):
        float(text)
    elif text == text.strip() and "_" not in text and "nan" not in text.lower():
        with pytest.raises(ValueError, match="could not convert"):
            float(text)


@given(st.text("0123456789-+.٣²", max_size=5))
def test_a_whole_number_is_written_in_plain_digits(text):
    """Other programs do not read the digits of all scripts, which Python does."""
    assert is_whole(text) == bool(re.fullmatch("-?[0-9]+", text))


@pytest.mark.parametrize("word", [*MISSING_WORDS, *(f"  {word} " for word in MISSING_WORDS)])
def test_a_missing_word_is_missing_in_every_column(word):
    """Between numbers it leaves a column of numbers, and it has no text."""
    column = cells("1", word)
    assert column.texts == ["1", ""]
    assert column.has_numbers_only
    np.testing.assert_array_equal(column.numbers(), [1.0, np.nan])


@pytest.mark.parametrize("missing", [None, float("nan"), pd.NA, pd.NaT, np.datetime64("NaT")])
def test_a_missing_object_is_missing(missing):
    """Python, pandas and numpy each have their own."""
    assert text_of(missing) == ""


@given(st.lists(st.none() | finite, min_size=1, max_size=6))
def test_numbers_are_the_same_from_arrays_texts_and_objects(numbers):
    """Bit by bit; a missing number is NaN."""
    array = np.array([np.nan if number is None else number for number in numbers])
    texts = ["" if number is None else repr(number) for number in numbers]
    for values in (array, object_array(numbers), object_array(texts)):
        column = Cells("c", values)
        assert column.has_numbers_only
        np.testing.assert_array_equal(column.numbers(), array)


def test_integers_of_any_type_are_numbers():
    """Small, unsigned, and those of Python that no 64 bits hold."""
    for kind in (np.int8, np.uint64, np.float32):
        assert cells_of(np.array([[1], [2]], dtype=kind))[0].numbers().tolist() == [1.0, 2.0]
    assert cells(10**25, decimal.Decimal("0.5")).numbers().tolist() == [1e25, 0.5]


def test_categories_are_no_numbers():
    """Even if each of them is written as one."""
    frame = pd.DataFrame({"c": pd.Categorical([1, 2, 1])})
    enum = pl.DataFrame({"c": pl.Series(["1", "2"], dtype=pl.Enum(["1", "2"]))})
    assert not cells_of(frame)[0].has_numbers_only
    assert not cells_of(enum)[0].has_numbers_only
    assert cells_of(frame)[0].texts == ["1", "2", "1"]


@pytest.mark.parametrize(
    ("column", "message"),
    [
        (cells("1", "two"), "row 2, column 'c': a number is needed; 'two' was found. Correct"),
        (cells("1", "1e999"), "row 2, column 'c': a finite number is needed; '1e999' was found"),
        (cells(1.0, -np.inf, lines=[2, 5]), "line 5, column 'c': a finite number is needed; -inf"),
        (cells("x", table="t.csv", lines=[7]), "t.csv, line 7, column 'c': a number is needed"),
        (cells([1, 2]), r"a number is needed; \[1, 2\] was found"),
        (cells("y" * 500), "'y{59} was found"),
    ],
)
def test_a_cell_that_is_no_finite_number_is_refused(column, message):
    """The message names the file, the line or row, the column, and a long cell by its beginning."""
    with pytest.raises(InvalidInputError, match=message):
        column.numbers()


def test_a_remedy_of_the_caller_replaces_the_usual_one():
    """And a cell of spaces is called empty."""
    with pytest.raises(InvalidInputError) as caught:
        cells("a", " ").refuse(1, "a label is needed", "Drop the row.")
    assert str(caught.value) == (
        "row 2, column 'c': a label is needed; an empty cell was found. Drop the row."
    )


@given(st.lists(st.lists(st.none() | st.integers() | st.text(), max_size=3), max_size=3))
def test_cells_that_are_lists_stay_cells(lists):
    """An array of them has one dimension, whatever their lengths."""
    array = object_array(lists)
    assert array.shape == (len(lists),)
    assert array.tolist() == lists


def test_the_names_of_columns_are_texts():
    """A frame allows numbers; two names that differ only by their type are the same name."""
    assert [c.name for c in cells_of(pd.DataFrame({0: [1], "b": [2]}))] == ["0", "b"]
    with pytest.raises(InvalidInputError, match=r"'0' appears more than once\. Rename one"):
        cells_of(pd.DataFrame({0: [1], "0": [2]}))


@given(st.text(max_size=30), st.integers(1, 20))
def test_a_shortened_text_says_that_it_is_one(text, width):
    """A short text is left alone."""
    short = shortened(text, width)
    assert short == text if len(text) <= width else short == f"{text[:width]} ..."
