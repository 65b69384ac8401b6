"""Tables: how files may be written, and what becomes of their cells."""

import csv
import io

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from margintree._lib.exceptions import InvalidInputError
from margintree.data.tables import csv_text, read_table

letters = st.characters(exclude_characters="\0\r", exclude_categories=["Cs"])
# A cell of digits and commas alone may be a number, and an empty row is none.
cells = st.text(letters, max_size=6).map("x".__add__)


def rows_of(table):
    return list(zip(*table.cells, strict=True))


@given(
    st.lists(st.tuples(cells, cells), min_size=1, max_size=5),
    st.sampled_from([",", ";", "\t", "|"]),
    st.sampled_from(["utf-8", "utf-8-sig", "utf-16"]),
)
def test_what_is_written_is_what_is_read(tmp_path_factory, rows, separator, encoding):
    """Separators, quotes and line breaks in cells survive, whatever the separator and encoding."""
    file = io.StringIO()
    csv.writer(file, delimiter=separator).writerows([("a", "b"), *rows])
    path = tmp_path_factory.mktemp("tables") / "t.csv"
    path.write_bytes(file.getvalue().encode(encoding))
    assert rows_of(read_table(path)) == rows


@given(st.lists(st.tuples(cells, cells), min_size=1, max_size=5))
def test_what_we_write_others_read(rows):
    """The csv module agrees."""
    assert [tuple(row) for row in csv.reader(io.StringIO(csv_text(["a", "b"], rows)))][1:] == rows


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x;y\n1,5;a\n2;b\n", ["1.5", "2"]),
        ("x;y\n1.234,5;a\n12;b\n", ["1234.5", "12"]),
        ("x;y\n1,250;a\n2,500;b\n", ["1.250", "2.500"]),
        ('x,y\n"1,5",a\n"2,25",b\n', ["1.5", "2.25"]),
        ('x,y\n"1,250",a\n950,b\n', ["1250", "950"]),
        ('x,y\n"1,250.5",a\n950,b\n', ["1250.5", "950"]),
        ("x\ty\n0,125\ta\n2,500\tb\n", ["0.125", "2.500"]),
        ("x;y\n1,5;a\n1.5;b\n", ["1,5", "1.5"]),
        ("x;y\n1,5;a\nred;b\n", ["1,5", "red"]),
        ("x;y\n1.5;a\n2.25;b\n", ["1.5", "2.25"]),
    ],
)
def test_numbers_of_other_places(tmp_path, text, expected):
    """Decimal commas and thousands are told apart, and a column that is not all numbers stays."""
    (tmp_path / "t.csv").write_text(text)
    table = read_table(tmp_path / "t.csv")
    assert table["x"] == expected
    is_changed = any(cell not in text for cell in expected)
    assert any("'x'" in note for note in table.notes) == is_changed


def test_points_between_thousands_are_known_by_another_column(tmp_path):
    """Where a comma is decimal, a point is not."""
    (tmp_path / "t.csv").write_text("x;y\n1,5;12.500\n2,5;950\n")
    assert read_table(tmp_path / "t.csv")["y"] == ["12500", "950"]


def test_what_is_unusual_about_a_file_is_said(tmp_path):
    """Encoding, separator and decimal commas; nothing about a plain file."""
    (tmp_path / "t.csv").write_bytes("größe;farbe\n1,5;grün\n".encode("cp1252"))
    notes = " ".join(read_table(tmp_path / "t.csv").notes)
    assert all(
        word in notes for word in ("Windows-1252", "semicolons", "decimal commas", "'größe'")
    )
    (tmp_path / "plain.csv").write_text("a,b\n1.5,x\n")
    assert read_table(tmp_path / "plain.csv").notes == ()


def test_a_byte_order_mark_blank_lines_and_spaces_around_names_do_no_harm(tmp_path):
    """As spreadsheets write them."""
    (tmp_path / "t.csv").write_bytes(b"\xef\xbb\xbfa , b\r\n1,x\r\n\r\n2,y\r\n")
    table = read_table(tmp_path / "t.csv")
    assert table.columns == ("a", "b")
    np.testing.assert_array_equal(table.numbers(["a"]), [[1.0], [2.0]])
    assert table.lines == [2, 4]


def test_what_spreadsheets_leave_behind_does_no_harm(tmp_path):
    """A line that names the separator, columns without names, and rows without content."""
    (tmp_path / "t.csv").write_text("sep=;\r\na;;b\r\n1;;x\r\n;;\r\n2;;y\r\n")
    table = read_table(tmp_path / "t.csv")
    assert table.columns == ("a", "column 2", "b")
    assert rows_of(table) == [("1", "", "x"), ("2", "", "y")]


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
