"""A table of cells: its columns, numbers and labels, and what it says about those it lacks."""

import csv
import io

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from margintree import InvalidInputError
from margintree.data.tables import csv_text
from margintree.data.tables.table import Table

TABLE = Table("t.csv", ("size", "class"), [["1", ""], [" a ", "b"]], lines=[2, 4])
texts = st.text(st.characters(exclude_characters="\0\r", exclude_categories=["Cs"]))


@pytest.mark.parametrize(
    ("name", "hint"), [("Class", r"Did you mean 'class'\? Its"), ("weight", "'weight'. Its")]
)
def test_a_similar_name_is_suggested(name, hint):
    """If there is one; all names are listed in any case."""
    with pytest.raises(InvalidInputError, match=f"no column .*{hint} columns are: size, class"):
        TABLE[name]


def test_a_table_without_a_column_keeps_everything_else():
    """The origin and the lines, too; the column must be there."""
    rest = TABLE.without("size")
    assert rest == Table("t.csv", ("class",), [[" a ", "b"]], lines=[2, 4])
    assert [cells.name for cells in rest.all_cells()] == ["class"]


def test_a_missing_number_or_label_is_refused_with_its_line():
    """A tree that is fitted to numbers alone has no place for it."""
    with pytest.raises(
        InvalidInputError,
        match=r"line 4, column 'size': a number is needed; an empty cell was found\. Correct it",
    ):
        TABLE.numbers(["size"])
    with pytest.raises(InvalidInputError, match="line 4, column 'size': a label is needed; an em"):
        TABLE.labels("size")


@given(st.lists(st.integers(-(2**59), 2**59), min_size=1, max_size=4))
def test_integers_as_text_are_labels_of_integers(labels):
    """They read back as the same numbers; with a text among them, all stay text."""
    cells = list(map(str, labels))
    assert Table("t", ("c",), [cells]).labels("c").tolist() == labels
    assert Table("t", ("c",), [[*cells, "x"]]).labels("c").tolist() == [*cells, "x"]


@pytest.mark.parametrize("label", ["007", "+1", "1.0", "-0", "٣", "9" * 19, "1e3", "--1"])
def test_other_numerals_stay_text(label):
    """So predictions are written exactly like the labels of training."""
    assert Table("t", ("c",), [["1", label]]).labels("c").tolist() == ["1", label]


def test_labels_lose_the_spaces_around_them():
    """Those within stay."""
    labels = Table("t", ("c",), [[" a b ", "a b"]]).labels("c")
    assert np.unique(labels).tolist() == ["a b"]


@given(st.lists(st.tuples(texts, st.integers()), min_size=1, max_size=4))
def test_csv_holds_any_text(rows):
    """Separators, quotes and line breaks included."""
    read = csv.reader(io.StringIO(csv_text(["a", "b"], rows), newline=""))
    assert list(read) == [["a", "b"], *([text, str(number)] for text, number in rows)]


@pytest.mark.parametrize(
    ("name", "cells"),
    [
        ("day (hour)", ["0", ""]),
        ("none (year)", ["", ""]),
        ("none (hour)", ["", ""]),
        ("some (year)", None),
        ("day (minute)", None),
        ("other (year)", None),
        ("size", None),
    ],
)
def test_parts_of_dates_that_follow_from_the_table(name, cells):
    """The hour of dates without times, and every part of a column without dates."""
    columns = {"day (days)": ["5", ""], "none": ["", None], "some": ["x", ""], "size": ["1", "2"]}
    table = Table("t.csv", tuple(columns), list(columns.values()), lines=[2, 3])
    found = table.with_parts_of_dates([name])
    assert found.lines == [2, 3]
    assert found.columns == (*columns, *([] if cells is None else [name]))
    assert cells is None or found[name] == cells
