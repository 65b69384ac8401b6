"""Reading tables: encodings, separators, numbers of other countries, and Parquet."""

import math
from datetime import date

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import parquet

from margintree import InvalidInputError
from margintree.data.tables import read_table
from margintree.data.tables.reading import COMMA, POINT, decoded, plain_numerals, separator_of

letters = st.text(st.characters(codec="cp1252", exclude_characters="\r\n"), min_size=1)
numbers = st.floats(-1e9, 1e9).map(lambda number: round(number, 3))


@given(st.text(st.characters(exclude_categories=["Cs"])), st.sampled_from(["utf-8", "utf-8-sig"]))
def test_unicode_is_recognised(text, encoding):
    """With and without a byte order mark; the mark is no part of the text."""
    mark = "\ufeff" if encoding == "utf-8" and text.startswith("\ufeff") else ""
    assert decoded(text.encode(encoding)) == (text.removeprefix(mark), "UTF-8")
    assert decoded(text.encode("utf-16")) == (text, "UTF-16")


@given(letters)
def test_text_that_is_not_unicode_is_windows_1252(text):
    """Every letter of it survives, unless its bytes happen to be valid UTF-8."""
    data = text.encode("cp1252")
    found, encoding = decoded(data)
    assert found.encode("cp1252" if encoding == "Windows-1252" else "utf-8") == data


@given(st.lists(numbers, min_size=1, max_size=6), st.sampled_from([POINT, COMMA]))
def test_numbers_survive_the_notation_of_any_country(column, numerals):
    """With marks between thousands, and with as many decimals as there are."""
    swapped = str.maketrans(",.", numerals.group + numerals.decimal)
    texts = [f"{number:,.4f}".translate(swapped) for number in column]
    assert numerals.are_all(texts)
    assert [float(numerals.plain(text)) for text in texts] == column


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (["1,5E3", "2,25E-3"], ["1.5E3", "2.25E-3"]),
        (["1,5e3", "7"], ["1.5e3", "7"]),
        ([",5", "1,250"], [".5", "1.250"]),
        (["-,25"], ["-.25"]),
        (["1,250", "2,500"], ["1250", "2500"]),
        (["1,250.5", ".5"], ["1250.5", ".5"]),
        (["1234,567"], ["1234.567"]),
        (["1.234.567", "0,5"], ["1234567", "0.5"]),
        (["1,2,3"], ["1,2,3"]),
        (["1,25", "1.25"], ["1,25", "1.25"]),
        (["12.34.567", "0,5"], ["12.34.567", "0,5"]),
        ([","], [","]),
        (["", "NA"], ["", "NA"]),
    ],
)
def test_commas_between_tabs(texts, expected):
    """They are decimal if one of them surely is; a column that is not all numbers stays."""
    (column,), note = plain_numerals(["c"], [texts], "\t")
    assert column == expected
    assert bool(note) == (texts != expected)


def test_the_notation_of_one_column_holds_for_the_whole_file():
    """A comma before three digits is decimal if another column shows what commas are."""
    cells = [["1,250", "2,500"], ["0,5", "0,7"], ["a,b", "c"]]
    assert plain_numerals("xyz", cells, "\t") == (
        [["1.250", "2.500"], ["0.5", "0.7"], ["a,b", "c"]],
        "its columns 'x', 'y' have decimal commas",
    )


def test_a_note_lists_ten_columns_at_most():
    """And says how many more there are."""
    names = [f"c{j}" for j in range(12)]
    _, note = plain_numerals(names, [["0,5"]] * 12, ";")
    assert note.startswith("its columns 'c0', 'c1'")
    assert note.endswith("'c9' and 2 more have decimal commas")


@pytest.mark.parametrize(
    ("text", "separator"),
    [
        ("a,b\n1,2\n", ","),
        ("a\n1\n", ","),
        ("a;b\n1,5;2,5\n", ";"),
        ("a,b;c\n1,2;3\n", ","),
        ("a,b;c;d\n1,2;3;4\n", ";"),
        ("a\tb\n1|2\t3\n", "\t"),
        ('a|b\n"1,2,3"|4\n', "|"),
        ("a;b,c,d\n1;2\n1;2\n1;2\n", ";"),
        ('a;"b\n', ";"),
        ("SEP=|\na;b\n1;2\n", "|"),
        ("", ","),
    ],
)
def test_the_separator_is_the_one_that_gives_rows_of_one_length(text, separator):
    """A line that names it is believed; it is emptied, so that lines keep their numbers."""
    found, rest = separator_of(text)
    assert found == separator
    assert rest == text.removeprefix("SEP=|")


def test_lines_are_those_of_the_file(tmp_path):
    """Of a row with line breaks it is the last; a message names it."""
    path = tmp_path / "t.csv"
    path.write_text('size,note\n1,"two\nlines"\n\nx,one\n')
    table = read_table(path)
    assert table.lines == [3, 5]
    with pytest.raises(InvalidInputError, match=r"t\.csv, line 5, column 'size': a number"):
        table.numbers(["size"])


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"a,b\n1,2,3\n", r"line 2: the row has 3 cells and the table 2 columns\. Put cells"),
        (b"a,a\n1,2\n", r"'a' appears more than once\. Rename one"),
        (b"column 2,\n1,2\n", r"'column 2' appears more than once"),
        (b"\n\n", "it has 0 lines with content"),
        (b"\xd0\xcf\x11\xe0 and so on", "an Excel workbook of an old kind. Save its sheet"),
        (b"PAR1", "is a damaged Parquet file"),
    ],
)
def test_files_that_are_no_tables(content, message, tmp_path):
    """The message says what was found and what to do."""
    (tmp_path / "t.csv").write_bytes(content)
    with pytest.raises(InvalidInputError, match=message):
        read_table(tmp_path / "t.csv")


def test_a_folder_is_no_table(tmp_path):
    """The message is that of the operating system, and a remedy."""
    with pytest.raises(InvalidInputError, match=r"cannot be read: Is a directory.* Check its path"):
        read_table(tmp_path)


def test_parquet_keeps_types(tmp_path):
    """Numbers stay numbers, labels stay what they are, and dates become parts."""
    content = {"n": [1.5, None], "day": [date(2000, 1, 3), None], "label": [True, False]}
    parquet.write_table(pa.table(content), tmp_path / "t.parquet")
    table = read_table(tmp_path / "t.parquet")
    assert table["day (days)"] == ["2", ""]
    assert table.labels("label").dtype == bool
    assert math.isnan(table.all_cells()[0].numbers()[1])
    assert len(table.notes) == 1


@pytest.mark.parametrize("content", [{}, {"a": []}])
def test_parquet_without_cells_is_refused(content, tmp_path):
    """No column, or no row."""
    parquet.write_table(pa.table(content), tmp_path / "t.parquet")
    with pytest.raises(InvalidInputError, match="at least one column and one row"):
        read_table(tmp_path / "t.parquet")
