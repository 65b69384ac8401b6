"""Cells that are numbers in disguise: percentages, amounts of money and dates."""

import re
from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import Any

from margintree.data.preprocessing.cells import MISSING_WORDS, PART_OF_DATE

_NUMBER = r"[+-]?[.,]?\d[\d.,]*"
_MONEY = r"[$€£¥]|USD|EUR|GBP|CHF|JPY"
_FORMS = {
    "percentages, read without the percent sign": (
        re.compile(rf"({_NUMBER}) ?%"),
        re.compile("%"),
    ),
    "amounts of money, read without the currency": (
        re.compile(rf"[+-]?(?:{_MONEY}) ?{_NUMBER}|{_NUMBER} ?(?:{_MONEY})"),
        re.compile(rf" ?(?:{_MONEY}) ?"),
    ),
}
"""By words for a note: how such cells look, and what is not part of the number."""
_START = date(2000, 1, 1)
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2})?)?", re.ASCII)


def without_units(
    columns: Sequence[str], cells: list[list[str]]
) -> tuple[list[list[str]], list[str]]:
    """Return the cells without percent signs and currencies, and notes on the columns in words.

    A column is changed only if all its cells, except missing ones, look alike and have one unit.

    Examples
    --------
    >>> without_units(["share", "price"], [["5%", "NA"], ["$1,200", "-$3"]])[0]
    [['5', 'NA'], ['1,200', '-3']]
    """
    plain, notes = [], []
    for name, column in zip(columns, cells, strict=True):
        texts = _present(column)
        form = next((form for form in _FORMS if _are_all(texts, *_FORMS[form])), None)
        if form is None:
            plain.append(column)
            continue
        _, unit = _FORMS[form]
        plain.append([unit.sub("", cell).strip(" ") for cell in column])
        notes.append(f"its column {name!r} holds {form}")
    return plain, notes


def with_dates(
    columns: Sequence[str], cells: list[list[Any]]
) -> tuple[tuple[str, ...], list[list[Any]], list[str]]:
    """Return the table with numbers in place of dates, and notes on the columns in words.

    A column whose cells, except missing ones, are dates such as 2024-05-31 or 2024-05-31 08:30
    becomes its year, month, weekday (Monday is 1) and days since 2000-01-01; with times of day, the
    hour as well.

    Examples
    --------
    >>> columns, cells, _ = with_dates(["day"], [["2024-05-31", ""]])
    >>> dict(zip(columns, [column[0] for column in cells]))
    {'day (year)': '2024', 'day (month)': '5', 'day (weekday)': '5', 'day (days)': '8917'}
    """
    names: list[str] = []
    values: list[list[Any]] = []
    notes = []
    for name, column in zip(columns, cells, strict=True):
        parts = _parts(column)
        new = [f"{name} ({part})" for part in parts]
        if not parts or {*new} & {*columns}:
            names, values = [*names, name], [*values, column]
            continue
        names, values = names + new, values + list(parts.values())
        notes.append(f"its column {name!r} holds dates, read as {', '.join(map(repr, new))}")
    return tuple(names), values, notes


def absent_part(columns: Mapping[str, Sequence[Any]], name: str) -> list[str] | None:
    """Return the cells of a part of dates that is not among the columns, or None if it is no part.

    Dates at midnight have no hour; it is 0. A column without any date has no parts; they are
    missing.

    Examples
    --------
    >>> absent_part({"day (days)": ["8917", ""]}, "day (hour)")
    ['0', '']
    >>> absent_part({"day": ["NA"]}, "day (days)")
    ['']
    """
    match = PART_OF_DATE.fullmatch(name)
    if match is None:
        return None
    dates, days = columns.get(match[1]), columns.get(f"{match[1]} (days)")
    if match[2] == "hour" and days is not None:
        return ["0" if day else "" for day in days]
    if dates is not None and all(map(_is_missing, dates)):
        return [""] * len(dates)
    return None


def _parts(column: Sequence[Any]) -> dict[str, list[str]]:
    """Return the parts of dates by name, "" where a cell is missing; {} if cells are no dates."""
    moments = [None if _is_missing(cell) else _moment(cell) for cell in column]
    known = [moment for moment in moments if moment is not None]
    if not known or len(known) < sum(not _is_missing(cell) for cell in column):
        return {}
    has_times = any((moment.hour, moment.minute, moment.second) != (0, 0, 0) for moment in known)
    rows = [_numbers(moment, has_times) if moment else None for moment in moments]
    return {
        part: ["" if row is None else str(row[part]) for row in rows]
        for part in _numbers(known[0], has_times)
    }


def _numbers(moment: datetime, has_times: bool) -> dict[str, int]:
    numbers = {
        "year": moment.year,
        "month": moment.month,
        "weekday": moment.isoweekday(),
        "days": (moment.date() - _START).days,
    }
    return numbers | ({"hour": moment.hour} if has_times else {})


def _moment(cell: Any) -> datetime | None:
    """Return the date and time of a cell, or None if it is no date."""
    if isinstance(cell, datetime):
        return cell
    if isinstance(cell, date):
        return datetime(cell.year, cell.month, cell.day)
    text = cell.strip(" ") if isinstance(cell, str) else ""
    if not _DATE.fullmatch(text):
        return None
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return None


def _is_missing(cell: Any) -> bool:
    return cell is None or (isinstance(cell, str) and cell.strip(" ") in MISSING_WORDS)


def _present(column: Sequence[str]) -> list[str]:
    return [text for cell in column if (text := cell.strip(" ")) not in MISSING_WORDS]


def _are_all(texts: Sequence[str], look: re.Pattern[str], unit: re.Pattern[str]) -> bool:
    """Tell whether all the texts look so and have the same unit."""
    if not all(map(look.fullmatch, texts)):
        return False
    return len({found.strip(" ") for text in texts for found in unit.findall(text)}) == 1
