"""What a reader of the tables must know: how to read them, what is missing, and why."""

from collections import defaultdict
from collections.abc import Iterator, Sequence

from margintree.study.names import READINGS, method_label
from margintree.study.summary import Key, Summary


def notes(summary: Summary, readings: Sequence[str] = tuple(READINGS)) -> list[str]:
    """Return what a reader of the tables must know: what is missing, and why."""
    return [
        "Printed: Table 1 of Blanco, Japón and Puerto, https://doi.org/10.1007/s10994-023-06366-1.",
        "Best by fold: the combination of the grid with the highest accuracy on the test rows of a "
        "fold, an upper bound. Best by repetition: the one combination of the grid that is best "
        "for all folds of a repetition. Nested: chosen inside the training fold.",
        *_absence_notes(summary),
        *_unfinished_notes(summary, readings),
        *_unbegun_notes(summary),
    ]


def _absence_notes(summary: Summary) -> Iterator[str]:
    """Yield which rows failed or were skipped, how many, and why."""
    for absence in summary.absences:
        methods = ", ".join(map(method_label, absence.methods))
        who = "all methods" if absence.methods == summary.methods else methods
        rows = "1 row" if absence.n_rows == 1 else f"{absence.n_rows} rows"
        where = ", ".join(absence.data_sets)
        why = absence.message or "no reason was given"
        yield f"{absence.status.capitalize()} ({rows}): {who} on {where}: {why}"


def _unfinished_notes(summary: Summary, readings: Sequence[str]) -> Iterator[str]:
    """Yield what has fewer repetitions than planned though nothing is known to prevent them."""
    found: dict[tuple[str, str, int], list[str]] = defaultdict(list)
    for reading in readings:
        for method in summary.methods:
            for data_set in summary.data_sets:
                count = summary.count(Key(data_set, method, reading))
                if count < summary.planned and summary.status(data_set, method) != "skipped":
                    found[reading, method, count].append(data_set)
    groups: dict[tuple[str, int, str], list[str]] = defaultdict(list)
    for (reading, method, count), data_sets in found.items():
        groups[reading, count, ", ".join(data_sets)].append(method_label(method))
    for (reading, count, where), methods in groups.items():
        yield (
            f"Unfinished, {READINGS[reading]} ({count} of {summary.planned} repetitions): "
            f"{', '.join(methods)} on {where}"
        )


def _unbegun_notes(summary: Summary) -> Iterator[str]:
    """Yield what the specification has and the rows have not, or that nobody knows."""
    if summary.spec is None:
        yield (
            "The specification is not known, for the file of the sessions is not beside that of "
            "the rows: more folds and repetitions may have been planned than there are."
        )
        return
    wanted = {
        "methods": [method_label(m) for m in summary.spec.methods if m not in summary.methods],
        "data sets": [name for name in summary.spec.data_sets if name not in summary.data_sets],
    }
    for what, names in wanted.items():
        if names:
            yield f"No rows yet of the {what} {', '.join(names)}."
