"""Encodings of columns: from cells to values, from values to features, and as plain data."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from margintree import InvalidInputError
from margintree.data.preprocessing import (
    BooleanColumn,
    CategoryColumn,
    Encoding,
    LeftOut,
    NumberColumn,
    TableEncoder,
)
from margintree.data.preprocessing.cells import Cells, object_array
from margintree.estimators.modelfile._read_table import read_encoder

LEVELS = ("Biscoe", "Dream", "Torgersen")
names = st.text("abc ", min_size=1, max_size=4)
numbers = st.floats(-1e6, 1e6)


@st.composite
def categories(draw, name):
    """Draw a column of categories, with or without a baseline, a group of others and missing."""
    levels = LEVELS[: draw(st.integers(1, 3))]
    groups_others = draw(st.booleans())
    has_two_kinds = len(levels) + groups_others == 2
    baseline = draw(st.sampled_from(levels)) if has_two_kinds else None
    return CategoryColumn(name, draw(st.booleans()), levels, baseline, groups_others)


@st.composite
def encodings(draw):
    """Draw an encoding of one to four columns."""
    columns = []
    for name in draw(st.lists(names, min_size=1, max_size=4, unique=True)):
        kind = draw(st.sampled_from(["number", "boolean", "category"]))
        if kind == "category":
            columns.append(draw(categories(name)))
        elif kind == "number":
            columns.append(NumberColumn(name, draw(st.booleans()), fill=draw(numbers)))
        else:
            columns.append(
                BooleanColumn(name, draw(st.booleans()), fill=draw(st.sampled_from([0.0, 1.0])))
            )
    return Encoding(tuple(columns), (LeftOut("key", "it numbers the rows"),))


def cell_for(column):
    """Return a strategy for cells that the column takes."""
    known = {
        "number": numbers,
        "boolean": st.sampled_from([True, False, "TRUE", "false", 0, 1, 1.0]),
        "category": st.sampled_from([*LEVELS, "Atlantis"]),
    }
    return st.none() | known[column.kind]


def features_of(column, cell):
    """Return the features of one cell, as the documentation defines them."""
    if column.kind == "category":
        answers = [cell == level for level in column.shown_levels]
        answers += [cell not in (None, *column.levels)] if column.groups_others else []
    elif cell is None:
        answers = [column.fill]
    else:
        answers = [{"TRUE": 1, "false": 0}.get(cell, cell)]
    return answers + ([cell is None] if column.marks_missing else [])


@given(encodings(), st.data())
def test_features_are_what_their_words_say(encoding, data):
    """Cell by cell, for any columns in any order in the table."""
    rows = data.draw(st.lists(st.tuples(*map(cell_for, encoding.columns)), min_size=1, max_size=5))
    table = [
        Cells(column.name, object_array(cells))
        for column, cells in zip(encoding.columns, zip(*rows, strict=True), strict=True)
    ]
    found = encoding.found([Cells("other", object_array("x" * len(rows))), *reversed(table)])
    expected = [
        [value for pair in zip(encoding.columns, row, strict=True) for value in features_of(*pair)]
        for row in rows
    ]
    np.testing.assert_array_equal(encoding.encoded(encoding.values(found)), expected)


@given(encodings())
def test_features_have_one_name_and_one_column_each(encoding):
    """Their groups say which column, in order."""
    features = encoding.encoded(np.full((1, len(encoding.columns)), np.nan))
    assert features.shape[1] == len(encoding.features) == len(encoding.groups)
    for feature, group in zip(encoding.features, encoding.groups, strict=True):
        column = encoding.columns[group]
        assert feature.words.startswith(column.name)
        assert feature.is_condition == (feature.words != column.name or column.kind != "number")


@given(encodings())
def test_an_encoding_survives_its_journey_through_json(encoding):
    """Every kind of column, every option, and the columns that are left out."""
    content = json.loads(json.dumps(encoding.to_dict()))
    read = read_encoder({"params": TableEncoder().get_params(), "names": None} | content)
    assert read.encoding_ == encoding


@given(encodings())
def test_missing_cells_have_the_features_of_no_level(encoding):
    """Numbers are filled; no condition on a category holds but that it is missing."""
    row = encoding.encoded(np.full((1, len(encoding.columns)), np.nan))[0]
    for value, feature, group in zip(row, encoding.features, encoding.groups, strict=True):
        column = encoding.columns[group]
        is_marked = column.marks_missing and feature == column.features[-1]
        assert value == (1.0 if is_marked else getattr(column, "fill", 0.0))


def test_unseen_texts_are_counted_unless_they_have_a_feature():
    """Missing cells and levels are known."""
    cells = Cells("island", object_array(["Dream", None, "Atlantis", "Lyonesse", "Atlantis"]))
    some = CategoryColumn("island", False, LEVELS, None, groups_others=False)
    assert some.unseen(cells) == {"Atlantis": 2, "Lyonesse": 1}
    others = CategoryColumn("island", False, LEVELS, None, groups_others=True)
    assert not others.unseen(cells)


def test_an_absent_column_is_named_with_what_to_do():
    """And so are the columns that are there."""
    encoding = Encoding((NumberColumn("age", False, 1.0), NumberColumn("size", False, 1.0)), ())
    with pytest.raises(
        InvalidInputError, match=r"no column 'age', 'size', which .* are: Age\. Add the column"
    ):
        encoding.found([Cells("Age", object_array([1]))])


@pytest.mark.parametrize("cell", ["yes", "2", 0.5, "truely"])
def test_what_is_neither_true_nor_false_is_refused(cell):
    """The message names the row."""
    column = BooleanColumn("smoker", False, fill=0.0)
    with pytest.raises(InvalidInputError, match="row 2, column 'smoker': true or false is needed"):
        column.values(Cells("smoker", object_array([True, cell])))
