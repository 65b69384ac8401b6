"""Learning the encoding of each column from training rows."""

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np
from scipy.stats import chi2_contingency

from margintree._lib.arrays import BoolArray, FloatArray, IntArray
from margintree._lib.exceptions import TableWarning
from margintree._lib.warn import warn_user
from margintree.data.preprocessing.cells import PART_OF_DATE, Cells, is_number, is_whole
from margintree.data.preprocessing.encoding import (
    BooleanColumn,
    CategoryColumn,
    Column,
    LeftOut,
    NumberColumn,
)

_LEAST_NUMBERED = 20
"""Least number of rows in which consecutive whole numbers are taken for row numbers."""
_SIGNIFICANCE = 0.05
"""Largest p-value at which the labels of rows with missing cells differ from the other labels."""
_ALL_MISSING = "all its cells are missing"
_AMOUNT = re.compile(
    r"[+-]?([$€£¥]|USD|EUR|GBP|CHF|JPY)? ?[+-]?\d[\d.,]* ?(?(1)|([$€£¥%]|[^\W\d_]{1,4})?)"
)
"""A number with a currency before it or a unit after it."""
_DATE = re.compile(r"\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}([T ].*)?")


@dataclass(frozen=True)
class ColumnLearner:
    """Learns encodings of columns from the class codes of the training rows.

    A category, or missing cells, get a feature only in ``least`` rows or more; at most
    ``max_levels`` categories of a column get one.
    """

    codes: IntArray
    least: int
    max_levels: int

    @classmethod
    def on(cls, labels: Sequence[object], min_share: float, max_levels: int) -> "ColumnLearner":
        """Return the learner for rows with these labels."""
        _, codes = np.unique(list(map(str, labels)), return_inverse=True)
        return cls(codes, max(2, math.ceil(min_share * len(labels))), max_levels)

    def column(self, cells: Cells) -> Column | LeftOut:
        """Return the encoding of a column, or the reason to leave it out."""
        if cells.has_numbers_only:
            return self._numbers(cells)
        present = Counter(text for text in cells.texts if text)
        if not present:
            return LeftOut(cells.name, _ALL_MISSING)
        if {text.lower() for text in present} <= {"true", "false"}:
            return self._booleans(cells)
        return self._categories(cells, present)

    def _numbers(self, cells: Cells) -> Column | LeftOut:
        values = cells.numbers()
        present = values[~np.isnan(values)]
        marks_missing = self._is_informative(np.isnan(values))
        if not len(present):
            return LeftOut(cells.name, _ALL_MISSING)
        if present.min() == present.max() and not marks_missing:
            return LeftOut(cells.name, f"all its cells say {present[0]:.6g}")
        # A table with a row for every day has consecutive days that mean something.
        is_count = PART_OF_DATE.fullmatch(cells.name) is None and _numbers_rows(present)
        if len(present) == len(values) and is_count:
            return LeftOut(
                cells.name,
                f"it numbers the rows, from {present.min():.0f} to {present.max():.0f}; if the "
                "numbers mean something, write them in another unit",
            )
        return NumberColumn(cells.name, marks_missing, fill=_median(present))

    def _booleans(self, cells: Cells) -> Column | LeftOut:
        column = BooleanColumn(cells.name, False, fill=0.0)
        values = column.values(cells)
        is_missing = np.isnan(values)
        marks_missing = self._is_informative(is_missing)
        mean = float(values[~is_missing].mean())
        if mean in (0.0, 1.0) and not marks_missing:
            return LeftOut(cells.name, f"all its cells say {'true' if mean else 'false'}")
        return BooleanColumn(cells.name, marks_missing, fill=float(mean > 0.5))

    def _categories(self, cells: Cells, present: Counter[str]) -> Column | LeftOut:
        marks_missing = self._is_informative(np.array([not text for text in cells.texts]))
        by_count = sorted(present, key=lambda text: (-present[text], text))
        common = [text for text in by_count if present[text] >= self.least][: self.max_levels]
        if len(present) == 1 and not marks_missing:
            return LeftOut(cells.name, f"all its cells say {by_count[0]!r:.60}")
        if sum(present[text] for text in common) < present.total() / 2:
            return LeftOut(cells.name, self._why_rare(by_count))
        has_others = len(present) > len(common)
        return CategoryColumn(
            cells.name,
            marks_missing,
            levels=tuple(sorted(common)),
            # One feature is enough for two kinds of cells.
            baseline=common[0] if len(common) + has_others <= 2 else None,
            groups_others=has_others,
        )

    def _why_rare(self, texts: list[str]) -> str:
        """Return the reason to leave out a column like an identifier, and a remedy."""
        if all(_DATE.fullmatch(text) for text in texts):
            remedy = (
                f"it holds dates such as {_examples(texts, _shape)}: write all of them in a file "
                "like 2024-05-31, which the command understands, or give their years, months or "
                "days as numbers"
            )
        elif all(_AMOUNT.fullmatch(text) for text in texts):
            amounts = _examples(texts, _unit)
            remedy = f"it holds amounts such as {amounts}: write them as numbers of one unit"
        elif any(map(is_number, texts)):
            odd = next(text for text in texts if not is_number(text))
            remedy = f"it mixes numbers with text such as {odd!r:.60}: correct or empty the text"
        else:
            remedy = "group them if they matter"
        return (
            f"it is like an identifier, with {len(texts)} different texts such as {texts[0]!r:.60},"
            f" most of them in fewer than {self.least} rows; {remedy}"
        )

    def _is_informative(self, is_missing: BoolArray) -> bool:
        """Tell whether enough cells are missing and the labels of their rows differ."""
        n_missing, n_classes = int(is_missing.sum()), int(self.codes.max(initial=0)) + 1
        if min(n_missing, len(is_missing) - n_missing) < self.least or n_classes < 2:
            return False
        counts = [
            np.bincount(self.codes[rows], minlength=n_classes) for rows in (is_missing, ~is_missing)
        ]
        return bool(chi2_contingency(counts).pvalue < _SIGNIFICANCE)


def _unit(amount: str) -> str:
    return re.sub(r"[\d.,\s+-]", "", amount)


def _shape(date: str) -> str:
    return re.sub(r"\d", "0", date)


def _examples(texts: Sequence[str], kind: Callable[[str], str]) -> str:
    """Return two texts of different kinds, or one if all are of one kind.

    Examples
    --------
    >>> _examples(["$5", "$7", "6 USD"], _unit), _examples(["5 kg", "7 kg"], _unit)
    ("'$5' and '6 USD'", "'5 kg'")
    """
    others = (text for text in texts if kind(text) != kind(texts[0]))
    return " and ".join(f"{text!r:.60}" for text in [texts[0], *islice(others, 1)])


def alike(texts: Iterable[str]) -> list[str]:
    """Return the words that differ from one another only in capitals or spaces, if there are any.

    Examples
    --------
    >>> alike(["yes", "no", "Yes", "yes", "YES"])
    ['YES', 'Yes', 'yes']
    """
    known: dict[str, list[str]] = {}
    for text in sorted({*texts}):
        known.setdefault(" ".join(text.casefold().split()), []).append(text)
    return next((words for words in known.values() if len(words) > 1), [])


def tell_what_is_alike(column: str, words: Sequence[str], what: str) -> None:
    """Warn that words of a column that differ only in capitals or spaces count as different."""
    first, last = ", ".join(f"{word!r:.60}" for word in words[:-1]), f"{words[-1]!r:.60}"
    warn_user(
        f"The column {column!r} has the {what} {first} and {last}, which count as {len(words)}. "
        "Write them alike if they are one.",
        TableWarning,
    )


def oddity(cells: Cells) -> str:
    """Return a remark on a column of text if at least half of it are numbers, otherwise "".

    Examples
    --------
    >>> oddity(Cells("age", np.array(["18", "x", "30", "41"], dtype=object)))
    "3 of its 4 cells are numbers, and text such as 'x' (row 2) makes all of it text"
    """
    present = [text for text in cells.texts if text]
    n_numbers = sum(map(is_number, present))
    if cells.is_category or not len(present) / 2 <= n_numbers < len(present):
        return ""
    row = next(i for i, text in enumerate(cells.texts) if text and not is_number(text))
    return (
        f"{n_numbers} of its {len(present)} cells are numbers, and text such as "
        f"{cells.texts[row]!r:.60} ({cells.place(row)}) makes all of it text"
    )


def _numbers_rows(values: FloatArray) -> bool:
    """Tell whether the values are consecutive whole numbers, each once."""
    n = len(values)
    is_sequence = values.max() - values.min() == n - 1 and len(np.unique(values)) == n
    return n >= _LEAST_NUMBERED and bool(is_sequence and is_whole(f"{values[0]:.17g}"))


def _median(values: FloatArray) -> float:
    """Return the lower median, which is one of the values and cannot overflow."""
    return float(np.sort(values)[(len(values) - 1) // 2])
