"""Interactive reports: a fitted tree and its predictions for rows in one HTML file."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from margintree._lib.arrays import FloatArray
from margintree._lib.files import write_whole
from margintree.show.page import framed, render
from margintree.show.report._content import model_entries, remark_on, with_evaluation
from margintree.show.report._stop import Stop

__all__ = ["Report", "Stop", "picture", "remark_on", "report_on"]


@dataclass(frozen=True)
class Report:
    """An interactive page, which a notebook shows.

    Attributes
    ----------
    html : str
        The page: a complete HTML document that needs no other file and no network.
    """

    html: str

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the page to a file, completely or not at all; an existing file is replaced."""
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
    stops: Sequence[Stop] = (),
) -> Report:
    """Return the report on a fitted classifier and its predictions for rows.

    ``X`` holds checked rows in original units, or for a model of tables the values returned by
    `Encoding.values`. ``stops`` are the trees of a path, one of them that of the model; a slider
    switches between them. The other arguments are those of the method ``report`` of the
    classifiers.

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
    content = with_evaluation(model, content, X, y, stops)
    return Report(render(title or type(model).__name__, content))


def picture(model: Any) -> str:
    """Return HTML that shows the tree of a fitted classifier inside another page.

    Examples
    --------
    >>> from margintree import MOCTSVMClassifier
    >>> clf = MOCTSVMClassifier(max_depth=1, c1=10).fit([[0], [1], [4], [5]], list("aabb"))
    >>> picture(clf)[:7]
    '<iframe'
    """
    return framed(render(type(model).__name__, model_entries(model)))
