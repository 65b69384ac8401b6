"""Printed descriptions of fitted classifiers."""

from collections.abc import Sequence
from math import isnan
from pathlib import Path
from typing import Any

import numpy as np
from rich import box
from rich.console import Console
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from margintree._lib.arrays import AnyArray
from margintree.core.result import Reason, Result
from margintree.core.tree import ObliqueTree
from margintree.data.preprocessing import NumberColumn
from margintree.data.preprocessing.cells import without_zero
from margintree.estimators import TableClassifier, TreeClassifier, TreeClassifierCV
from margintree.show.export import export_text
from margintree.show.export.named_tree import printable, tree_of

_MOST_CONFUSIONS = 10
"""Largest number of confusions that a narrow terminal lists."""
_MOST_COLUMNS = 10
"""Largest number of columns of which something is told."""
_ANY_WIDTH = 10_000


def console() -> Console:
    """Return the console for results; it never reads names from data as markup.

    A terminal gets lines that break between words; a file or a pipe gets whole lines.
    """
    out = Console(markup=False, highlight=False, emoji=False)
    out.soft_wrap = not out.is_terminal
    return out


def print_table(out: Console, table: Table) -> None:
    """Print a table without spaces at the ends of its lines."""
    with out.capture() as captured:
        out.print(table)
    lines = [line.rstrip() for line in captured.get().splitlines()]
    out.print(Text.from_ansi("\n".join(lines)))


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
    chosen = ", ".join(f"{name} {value:g}" for name, value in classifier.best_params_.items())
    if isnan(classifier.best_score_):
        out.print(f"nothing was compared, so these are the first candidates: {chosen}")
    else:
        score = _score_words(classifier.scoring, classifier.best_score_)
        out.print(f"chosen by cross-validation: {chosen}  ({score} on rows left out)")
    if not classifier.choice_is_complete_:
        out.print(f"The choice was cut short. {_remedy(classifier.result_)}")


def _score_words(scoring: Any, score: float) -> str:
    """Return a score with its name; only shares are per cent.

    Examples
    --------
    >>> _score_words("accuracy", 0.5), _score_words("neg_log_loss", -0.69314)
    ('accuracy 50.00%', 'neg_log_loss -0.69314')
    """
    name = scoring if isinstance(scoring, str) else "score"
    return f"{name} {score:.2%}" if 0 <= score <= 1 else f"{name} {score:.6g}"


def _remedy(result: Result) -> str:
    """Return advice about a choice that was cut short."""
    if result.reason is Reason.INTERRUPTED:
        return "Do not interrupt it before it has compared all candidates."
    lack = "memory" if result.limit == "memory" else "time"
    return f"Give it more {lack}: --{lack}-limit"


SHORT, MOST_TERMS = 5, 20
"""Largest number of terms of a split that is short to read, and that a fit prints."""


def print_next(out: Console, estimator: TableClassifier, model: Path) -> None:
    """Print what one can do with a saved model, and how splits with many terms get shorter."""
    tree = estimator.tree_
    if tree.scaling.likeness is not None:  # no split can be written, or drawn on a page
        out.print(f"Next: margintree predict {model} TABLE")
        return
    longest = int((tree.weights != 0).sum(axis=1).max())
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
    terms = {name: f"{value:.6g}" for name, value in cost.terms.items()}
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


def print_columns(out: Console, estimator: TreeClassifier | TableClassifier) -> None:
    """Print the values that replace missing cells, and the unused columns, if they are known."""
    if not isinstance(estimator, TableClassifier):
        return
    encoding = estimator.encoding_
    numbers = [column for column in encoding.columns if isinstance(column, NumberColumn)]
    fills = [f"{printable(column.name)} {column.fill + 0.0:.6g}" for column in numbers]
    if fills:
        out.print(f"\nA missing cell counts as: {', '.join(_first(fills, 'columns'))}")
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
    out.print(f"accuracy {right / len(labels):.2%}  ({right} of {len(labels)} rows)\n")
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
