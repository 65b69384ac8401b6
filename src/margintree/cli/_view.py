"""Printed descriptions of fitted classifiers."""

from collections.abc import Sequence
from math import isnan
from pathlib import Path
from typing import Any, Literal

import numpy as np
from rich import box
from rich.console import Console
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from margintree._lib.arrays import AnyArray
from margintree.core.result import Reason
from margintree.core.tree import ObliqueTree
from margintree.data.preprocessing import NumberColumn
from margintree.data.preprocessing.cells import without_zero
from margintree.estimators import TableClassifier, TreeClassifier, TreeClassifierCV
from margintree.show.export import export_text
from margintree.show.export.named_tree import named, printable, tree_of
from margintree.show.export.wording import question
from margintree.show.report import Stop

_MOST_CONFUSIONS = 10
"""Largest number of confusions that a narrow terminal lists."""
_MOST_COLUMNS = 10
"""Largest number of columns of which something is told."""
_ANY_WIDTH = 10_000
SENTENCE = 30
"""Least width of a column of sentences."""
ROUNDING = 1e-9
"""Share of the cost that is taken for a rounding error of 0."""


def console() -> Console:
    """Return the console for results; it never reads names from data as markup.

    A terminal gets lines that break between words; a file or a pipe gets whole lines, also of
    tables.
    """
    out = Console(markup=False, highlight=False, emoji=False)
    out.soft_wrap = not out.is_terminal
    if not out.is_terminal:
        out.width = _ANY_WIDTH
    return out


def print_table(out: Console, table: Table) -> None:
    """Print a table without spaces at the ends of its lines."""
    with out.capture() as captured:
        out.print(table)
    lines = [line.rstrip() for line in captured.get().splitlines()]
    out.print(Text.from_ansi("\n".join(lines)))


def print_records(
    out: Console, headings: Sequence[str], rows: Sequence[Sequence[str]], *, sentences: bool = True
) -> None:
    """Print rows as a table, or one below the other if a terminal is too narrow.

    The last column holds sentences, which may break between words. Otherwise all columns but the
    first hold numbers.
    """
    table = Table(box=box.SIMPLE_HEAD)
    for k, heading in enumerate(headings):
        justify: Literal["left", "right"] = "left" if sentences or k == 0 else "right"
        table.add_column(heading, overflow="fold", no_wrap=k == 0, justify=justify)
    for row in rows:
        table.add_row(*row)
    *widths, last = (max(map(len, column)) for column in zip(headings, *rows, strict=True))
    room = out.width - sum(width + 3 for width in widths) - 2
    if not out.is_terminal or room >= (min(SENTENCE, last) if sentences else last):
        print_table(out, table)
        return
    for row in rows:
        record = Table.grid(padding=(0, 2))
        for heading, cell in zip(headings, row, strict=True):
            record.add_row(heading, cell)
        out.print()
        print_table(out, record)


def print_tree(
    out: Console,
    estimator: TreeClassifier | TableClassifier,
    feature_names: Sequence[str] | None = None,
    max_terms: int | None = None,
) -> None:
    """Print the tree as rules in original units, if its splits can be written so."""
    if tree_of(estimator).scaling.likeness is not None:
        n_splits = tree_of(estimator).n_splits
        splits = "1 split that compares" if n_splits == 1 else f"{n_splits} splits that compare"
        out.print(f"A tree of {splits} rows with training rows, not columns.")
        return
    width = out.width if out.is_terminal else 100
    text = export_text(estimator, feature_names=feature_names, max_terms=max_terms, width=width)
    out.print(Text(text))


def print_choice(out: Console, estimator: TableClassifier) -> None:
    """Print the chosen depth and costs, if the classifier chose any."""
    classifier = estimator[-1]
    if not isinstance(classifier, TreeClassifierCV):
        return
    chosen = ", ".join(
        f"{name} {value if isinstance(value, str) else format(value, 'g')}"
        for name, value in classifier.best_params_.items()
    )
    if isnan(classifier.best_score_):
        out.print(f"nothing was compared, so these are the first candidates: {chosen}")
    else:
        score = _score_words(classifier.scoring, classifier.best_score_)
        out.print(f"chosen by cross-validation: {chosen}  ({score} on rows left out)")
    if not classifier.choice_is_complete_:
        out.print(f"The choice was cut short. {_remedy(classifier)}")


def _score_words(scoring: Any, score: float) -> str:
    """Return a score with its name; only shares are per cent.

    Examples
    --------
    >>> _score_words("accuracy", 0.5), _score_words("neg_log_loss", -0.69314)
    ('accuracy 50.00%', 'neg_log_loss -0.69314')
    """
    name = scoring if isinstance(scoring, str) else "score"
    return f"{name} {score:.2%}" if 0 <= score <= 1 else f"{name} {score:.6g}"


def _remedy(classifier: TreeClassifierCV) -> str:
    """Return advice about a choice that was cut short."""
    if classifier.result_.reason is Reason.INTERRUPTED:
        return "Do not interrupt it before it has compared all candidates."
    if classifier.result_.limit == "memory":
        return "Give it more memory: --memory-limit"
    limit = classifier.time_limit
    more = f" {2 * limit:g}, or compare less, such as with --max-depth 2" if limit else ""
    return f"Give it more time: --time-limit{more}."


SHORT, MOST_TERMS = 5, 20
"""Largest number of terms of a split that is short to read, and that a fit prints."""


def print_next(out: Console, estimator: TableClassifier, model: Path) -> None:
    """Print what one can do with a saved model, and how splits with many terms get shorter."""
    if estimator.tree_.scaling.likeness is not None:  # no split can be written, or drawn on a page
        out.print(f"Next: margintree predict {model} TABLE")
        return
    tree = named(estimator).tree
    questions = [question(tree, node) for node, on in enumerate(tree.splits, 1) if on]
    longest = max((len(asked.terms) for asked in questions), default=0)
    if longest > SHORT:
        out.print(
            f"Its splits have up to {longest:,} terms. See fewer: margintree show {model} --terms "
            f"{SHORT}. Use fewer: fit with --features {SHORT}."
        )
    out.print(f"Next: margintree predict {model} TABLE")
    out.print(f"      margintree report {model} TABLE -o report.html")


def print_outcome(out: Console, estimator: TreeClassifier | TableClassifier) -> None:
    """Print the cost and its terms, the bound, the gap and the reason why the fit stopped."""
    cost, result = estimator.cost_, estimator.result_
    table = Table.grid(padding=(0, 2))
    noise = ROUNDING * cost.total
    terms = {name: f"{value if value > noise else 0:.6g}" for name, value in cost.terms.items()}
    n_splits = estimator.tree_.n_splits
    priced = "splits" if "splits" in terms else "margins"  # class trees pay for margins only
    terms[priced] += f"  ({n_splits} {'split' if n_splits == 1 else 'splits'})"
    if "errors" in terms:
        terms["errors"] += f"  ({_wrong_rows(estimator.tree_)})"
    for name, value in (
        ("cost", f"{cost.total:.6g}"),
        *((f"  {term}", value) for term, value in terms.items()),
        ("bound", f"{result.bound:.6g}  (lower bound on the cost of any tree)"),
        ("gap", f"{result.gap:.2%}"),
        ("ended", f"{result.ended} ({result.solver} {result.version}, {result.seconds:.1f} s)"),
    ):
        table.add_row(name, value)
    print_table(out, table)


def _wrong_rows(tree: ObliqueTree) -> str:
    """Return the weight of the training rows that the tree predicts wrong, in words."""
    right = tree.leaf_mass[np.arange(len(tree.leaf_mass)), tree.leaf_classes].sum()
    whole = tree.leaf_mass.sum()
    return f"{whole - right:.6g} of {whole:.6g} training rows"


def print_stops(out: Console, stops: Sequence[Stop]) -> None:
    """Print how large the trees of a path are, and how accurate on rows left out."""
    out.print("Accuracy on rows left out, with its standard error:")
    rows = []
    for stop in stops:
        tree = stop.model.tree_
        sizes = (tree.n_coefficients, np.count_nonzero(tree.influences()))
        score = f"{stop.score:.1%}" + ("" if np.isnan(stop.error) else f" ± {stop.error:.1%}")
        rows.append((stop.name, *map(str, sizes), score))
    headings = ("tree", "coefficients", "features", "accuracy")
    print_records(out, headings, rows, sentences=False)
    if any(stop.model.result_.limit == "time" for stop in stops):
        out.print("\nNot all trees are finished. Give them more time: --time-limit")


def print_columns(out: Console, estimator: TreeClassifier | TableClassifier) -> None:
    """Print the values that replace missing cells, and the unused columns, if they are known."""
    if not isinstance(estimator, TableClassifier):
        return
    encoding = estimator.encoding_
    numbers = [column for column in encoding.columns if isinstance(column, NumberColumn)]
    fills = [f"{printable(column.name)} {column.fill + 0.0:.6g}" for column in numbers]
    if fills:
        out.print(f"\nIf a cell is missing, it counts as: {', '.join(_first(fills, 'columns'))}")
    unused = [f"Not used: {column.name}, since {column.reason}" for column in encoding.left_out]
    for line in _first(unused, "columns that are not used"):
        out.print(printable(line))


def _first(texts: Sequence[str], what: str) -> list[str]:
    """Return the first of many texts, and how many others there are.

    Examples
    --------
    >>> _first([*"abcdefghijklmn"], "letters")[-2:]
    ['j', 'and 4 more letters, which the model file lists']
    """
    n_more = len(texts) - _MOST_COLUMNS
    rest = [f"and {n_more:,} more {what}, which the model file lists"] if n_more > 0 else []
    return [*texts[:_MOST_COLUMNS], *rest]


def print_scores(out: Console, labels: AnyArray, predictions: AnyArray) -> None:
    """Print the accuracy and, for every class, the number of rows by predicted label."""
    classes, codes = np.unique(_texts(labels, predictions), return_inverse=True)
    counts = np.zeros((len(classes), len(classes)), dtype=int)
    np.add.at(counts, (codes[: len(labels)], codes[len(labels) :]), 1)
    right = int(np.trace(counts))
    out.print(f"accuracy {right / len(labels):.2%}  ({right} of {len(labels)} rows)")
    table = _scores_table(classes, counts, with_calls=True)
    needed = Measurement.get(out, out.options.update(width=_ANY_WIDTH), table).minimum
    if out.is_terminal and needed > out.width:
        print_table(out, _scores_table(classes, counts, with_calls=False))
        _print_confusions(out, classes, counts)
    else:
        print_table(out, table)


def _scores_table(classes: AnyArray, counts: AnyArray, *, with_calls: bool) -> Table:
    """Return recall and precision of every class, with the number of rows by predicted label."""
    table = Table(box=box.SIMPLE_HEAD)
    calls = [f"called {name}" for name in classes] if with_calls else ["rows"]
    for heading in ("label", *calls, "recall", "precision"):
        table.add_column(Text(heading), justify="right")
    rows, columns = counts.sum(axis=1), counts.sum(axis=0)
    for k, name in enumerate(classes):
        shares = (_share(counts[k, k], rows[k]), _share(counts[k, k], columns[k]))
        table.add_row(Text(name), *map(str, counts[k] if with_calls else [rows[k]]), *shares)
    return table


def _print_confusions(out: Console, classes: AnyArray, counts: AnyArray) -> None:
    """Print the most frequent confusions, for a terminal too narrow for all of them."""
    pairs = [(int(counts[i, j]), i, j) for i, j in np.argwhere(counts) if i != j]
    for count, label, called in sorted(pairs, reverse=True)[:_MOST_CONFUSIONS]:
        out.print(f"  {count} of label {classes[label]} called {classes[called]}")


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.1%}" if whole else "-"


def _texts(labels: AnyArray, predictions: AnyArray) -> AnyArray:
    """Return labels and then predictions as text.

    A table whose labels all look like numbers holds numbers, even if the model has text labels. If
    either of the two is not text, whole numbers are therefore equal with and without ``.0``.
    """
    texts = np.concatenate([labels.astype(str), predictions.astype(str)])
    if labels.dtype.kind == predictions.dtype.kind == "U":
        return texts
    return np.array([without_zero(text) for text in texts])
