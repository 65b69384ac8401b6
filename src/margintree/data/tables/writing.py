"""Tables as the text of CSV files."""

import csv
from collections.abc import Iterable, Sequence


def csv_text(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    r"""Return a table as the text of a CSV file.

    Examples
    --------
    >>> csv_text(["a", "b"], [[1, "x,y"]])
    'a,b\n1,"x,y"\n'
    """
    lines = _Lines()
    writer = csv.writer(lines, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    return "".join(lines)


class _Lines(list[str]):
    """A list that a CSV writer can write to."""

    write = list.append
