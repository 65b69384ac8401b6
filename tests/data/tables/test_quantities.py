"""Percentages, money and dates: which columns become numbers, and which numbers."""

from datetime import date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from margintree.data.preprocessing.cells import MISSING_WORDS
from margintree.data.tables.quantities import with_dates, without_units

missing = st.sampled_from(MISSING_WORDS)
amounts = st.decimals(-(10**6), 10**6, places=2).map(str)


@given(
    st.lists(amounts, min_size=1, max_size=5),
    st.sampled_from(["{}%", "{} %", "${}", "{} €", "{}EUR", "USD {}", " {}¥ "]),
    missing,
)
def test_a_column_in_one_unit_loses_it(numbers, form, word):
    """The numbers stay as they were written, and missing cells stay missing."""
    ((column,), notes) = without_units(["c"], [[*map(form.format, numbers), word]])
    assert column == [*numbers, word]
    assert len(notes) == 1
    assert ("percent sign" if "%" in form else "currency") in notes[0]


@pytest.mark.parametrize(
    "column",
    [
        ["5%", "6"],
        ["5%", "$6"],
        ["$5", "6 €"],
        ["USD 5", "EUR 6"],
        ["$5", "cheap"],
        ["5 EURO"],
        ["%"],
        ["$"],
        ["5%%"],
        ["1 2%"],
        ["NA", ""],
    ],
)
def test_cells_that_do_not_look_alike_are_left_alone(column):
    """Amounts in two currencies cannot be compared as numbers."""
    assert without_units(["c"], [column]) == ([column], [])


def test_a_sign_may_stand_before_or_after_the_currency():
    """As banks write it."""
    assert without_units(["c"], [["-$5", "$-5", "+$5", "$.50"]])[0] == [["-5", "-5", "+5", ".50"]]


moments = st.datetimes(datetime(1900, 1, 1), datetime(2100, 1, 1)).map(
    lambda moment: moment.replace(microsecond=0)
)


@given(st.lists(moments, min_size=1, max_size=5), st.sampled_from([" ", "T"]))
def test_dates_are_the_same_as_text_and_as_objects(moments, separator):
    """From CSV and Parquet, and `datetime` agrees with every part."""
    texts = [moment.isoformat(separator) for moment in moments]
    names, cells, notes = with_dates(["day"], [texts])
    assert (names, cells, notes) == with_dates(["day"], [moments])
    assert len(notes) == 1
    for moment, row in zip(moments, zip(*cells, strict=True), strict=True):
        part = {name.split("(")[1][:-1]: int(cell) for name, cell in zip(names, row, strict=True)}
        assert (part["year"], part["month"]) == (moment.year, moment.month)
        assert part["weekday"] == moment.isoweekday()
        assert date(2000, 1, 1) + timedelta(part["days"]) == moment.date()
        assert part.get("hour", 0) == moment.hour


@given(st.lists(st.dates() | missing | st.none(), min_size=1, max_size=5))
def test_missing_dates_are_missing_in_every_part(days):
    """Days have no hour; a column without any date stays as it is."""
    names, cells, _ = with_dates(["day"], [days])
    if not any(isinstance(day, date) for day in days):
        assert (names, cells) == (("day",), [days])
        return
    assert names == ("day (year)", "day (month)", "day (weekday)", "day (days)")
    for column in cells:
        for cell, day in zip(column, days, strict=True):
            assert (cell == "") != isinstance(day, date)


@pytest.mark.parametrize(
    "cells",
    [
        ["2024-02-30"],
        ["2024-13-01"],
        ["2024-05-31", "soon"],
        ["2024-05-31 25:00"],
        ["31.05.2024"],
        ["٢٠٢٤-05-31"],
        [20240531],
        [],
    ],
)
def test_what_is_no_date_stays(cells):
    """One such cell is enough."""
    assert with_dates(["c"], [cells]) == (("c",), [cells], [])


def test_dates_never_hide_another_column():
    """A column that has the name of a part keeps it, and the dates stay dates."""
    columns, cells = ("day", "day (year)"), [["2024-05-31"], ["7"]]
    assert with_dates(columns, cells) == (columns, cells, [])


def test_other_columns_keep_their_places():
    """Parts come where the dates were."""
    names, cells, _ = with_dates(["a", "day", "b"], [["1"], [date(2000, 1, 3)], ["2"]])
    assert names == ("a", "day (year)", "day (month)", "day (weekday)", "day (days)", "b")
    assert cells == [["1"], ["2000"], ["1"], ["1"], ["2"], ["2"]]
