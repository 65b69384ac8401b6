"""The size, classes and source of every data set."""

from dataclasses import dataclass
from typing import Literal

Origin = Literal["scikit-learn", "rule", "bundled", "OpenML", ""]


@dataclass(frozen=True)
class Entry:
    """A data set of the study."""

    name: str
    n_rows: int
    n_features: int
    class_counts: tuple[int, ...]  # the number of rows of each class, in ascending order
    origin: Origin  # the source without a data folder; "" if there is none
    openml_id: int = 0
    missing_code: float | None = None  # the number for a missing cell in the source
    note: str = ""  # differences from the paper's table

    @property
    def n_classes(self) -> int:
        """The number of classes."""
        return len(self.class_counts)


CATALOGUE: dict[str, Entry] = {
    entry.name: entry
    for entry in (
        Entry("australian", 690, 14, (307, 383), "OpenML", 40981),
        Entry("balance_scale", 625, 4, (49, 288, 288), "rule"),
        Entry(
            "banknote", 1372, 4, (610, 762), "OpenML", 1462, note="the paper counts the class too"
        ),
        Entry("breast_cancer", 683, 9, (239, 444), "bundled"),
        Entry("dermatology", 358, 34, (20, 48, 48, 60, 71, 111), "bundled"),
        Entry(
            "heart",
            294,
            13,
            (15, 26, 28, 37, 188),
            "OpenML",
            1565,
            missing_code=-9.0,
            note="most of slope, ca and thal is missing; the study feeds the source's code -9, as "
            "the paper most likely did",
        ),
        Entry(
            "iris", 150, 4, (50, 50, 50), "scikit-learn", note="corrects three wrong cells of UCI"
        ),
        Entry(
            "parkinson",
            240,
            44,
            (120, 120),
            "",
            note="the paper says 40 features; three recordings of each person",
        ),
        Entry("seeds", 210, 7, (70, 70, 70), "OpenML", 1499),
        Entry(
            "teaching_assistant", 151, 5, (49, 50, 52), "bundled", note="the paper says 150 rows"
        ),
        Entry("thyroid", 215, 5, (30, 35, 150), "bundled"),
        Entry("wine", 178, 13, (48, 59, 71), "scikit-learn"),
        Entry("zoo", 101, 16, (4, 5, 8, 10, 13, 20, 41), "bundled"),
    )
}
"""The data sets of the study by name."""
