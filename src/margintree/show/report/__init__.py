"""Interactive reports: a fitted tree, and what it does with rows, in one HTML file."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from margintree._lib.arrays import FloatArray
from margintree._lib.files import write_whole
from margintree.show.page import framed, render
from margintree.show.report._content import model_entries, with_evaluation

__all__ = ["Report", "picture", "report_on"]


@dataclass(frozen=True)
class Report:
    """An interactive page; in a notebook it shows itself.

    Attributes
    ----------
    html : str
        The page: a whole HTML document that needs no other file and no network.
    """

    html: str

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the page to a file, whole or not at all.

        Parameters
        ----------
        path : path-like
            The file to write, such as ``"report.html"``; an existing one is replaced.
        """
        write_whole(path, self.html)

    def _repr_html_(self) -> str:
        return framed(self.html)

    def __repr__(self) -> str:
        return f"<Report of {len(self.html):,} characters; save it with .save('report.html')>"


def report_on(
    model: Any,
    X: FloatArray,
    y: Sequence[Any],
    *,
    feature_names: Sequence[str] | None = None,
    title: str | None = None,
) -> Report:
    """Return the report on a fitted classifier and what it does with rows.

    Parameters
    ----------
    model : TreeClassifier or TableClassifier
        A fitted classifier.
    X : ndarray of shape (n, p)
        Rows in original units, already checked; of a model of tables, the values of their cells as
        `Encoding.values` returns them.
    y : sequence of n labels
        Their labels. A label that the classifier does not know counts as misclassified.
    feature_names : sequence of str, optional
        Names of the features; by default those seen in `fit`, or ``x0, x1, ...``.
    title : str, optional
        What the report is about; by default the name of the classifier.

    Examples
    --------
    >>> import numpy as np
    >>> from margintree import MOCTSVMClassifier
    >>> X, y = np.array([[0.0], [1.0], [4.0], [5.0]]), ["low", "low", "high", "high"]
    >>> clf = MOCTSVMClassifier(max_depth=1, c1=10).fit(X, y)
    >>> report_on(clf, X, y, feature_names=["height"]).html[:15]
    '<!DOCTYPE html>'
    """
    content = model_entries(model, feature_names)
    return Report(render(title or _title(model), with_evaluation(model, content, X, y)))


def picture(model: Any) -> str:
    """Return HTML that shows a fitted classifier's tree inside another page.

    Examples
    --------
    >>> from margintree import MOCTSVMClassifier
    >>> clf = MOCTSVMClassifier(max_depth=1, c1=10).fit([[0], [1], [4], [5]], list("aabb"))
    >>> picture(clf)[:7]
    '<iframe'
    """
    return framed(render(_title(model), model_entries(model)))


def _title(model: Any) -> str:
    return type(model).__name__
