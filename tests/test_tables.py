"""Tables: what CSV files may look like, and what becomes of their cells."""

import csv
import io

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from margintree.exceptions import InvalidInputError
from margintree.tables import csv_text, read_table

cells = st.text(st.characters(exclude_characters="\0\r", exclude_categories=["Cs"]), max_size=6)


@given(st.lists(st.tuples(cells, cells), min_size=1, max_size=5))
def test_what_is_written_is_what_is_read(tmp_path_factory, rows):
    """Commas, quotes and line breaks in cells survive; the csv module agrees."""
    text = csv_text(["a", "b"], rows)
    assert [tuple(row) for row in csv.reader(io.StringIO(text))][1:] == rows
    path = tmp_path_factory.mktemp("tables") / "t.csv"
    path.write_text(text, encoding="utf-8", newline="")
    assert [tuple(row) for row in read_table(path).rows] == rows


def test_a_byte_order_mark_blank_lines_and_spaces_around_names_do_no_harm(tmp_path):
    """As spreadsheets write them."""
    (tmp_path / "t.csv").write_bytes(b"\xef\xbb\xbfa , b\r\n1,x\r\n\r\n2,y\r\n")
    table = read_table(tmp_path / "t.csv")
    assert table.columns == ("a", "b")
    np.testing.assert_array_equal(table.numbers(["a"]), [[1.0], [2.0]])
    assert table.lines == [2, 4]


def test_numbers_come_in_the_order_asked_for(tmp_path):
    """Not in that of the file."""
    (tmp_path / "t.csv").write_text("a,b\n1,2\n3,4\n")
    np.testing.assert_array_equal(
        read_table(tmp_path / "t.csv").numbers(["b", "a"]), [[2, 1], [4, 3]]
    )


@pytest.mark.parametrize(
    ("column", "kind"),
    [
        (["1", "-2"], "i"),
        (["1", "x"], "U"),
        (["1", "2.0"], "U"),
        (["1", "9" * 30], "U"),
        (["²"], "U"),
    ],
)
def test_labels_are_integers_only_where_all_are(tmp_path, column, kind):
    """007 and 1.0 are names, not numbers."""
    (tmp_path / "t.csv").write_text("\n".join(["a", *column]), encoding="utf-8")
    labels = read_table(tmp_path / "t.csv").labels("a")
    assert labels.dtype.kind == kind
    assert labels.astype(str).tolist() == column


def test_a_table_of_many_columns_is_not_listed_in_full(tmp_path):
    """A message stays readable."""
    (tmp_path / "t.csv").write_text(
        ",".join(f"c{j}" for j in range(5000)) + "\n" + "1," * 4999 + "1"
    )
    with pytest.raises(InvalidInputError) as caught:
        read_table(tmp_path / "t.csv").labels("target")
    assert len(str(caught.value)) < 1000
