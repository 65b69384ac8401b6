"""The tree as a graph for Graphviz."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from margintree.core import topology
from margintree.show.export.named_tree import NamedTree, named
from margintree.show.export.wording import (
    leaf_label,
    leaf_mix,
    question,
    question_parts,
    wrapped,
)

_WIDTH = 40


def export_dot(
    model: Any,
    *,
    feature_names: Sequence[str] | None = None,
    class_names: Sequence[Any] | None = None,
) -> str:
    """Return the tree as a graph in the dot language of Graphviz.

    Nodes have the numbers of `export_text`, and "yes" is drawn on the right. Splits show the
    questions of `export_text`, with feature names and in original units. Leaves show their class
    and the shares of the classes in training. Draw the graph with ``dot -Tsvg``.

    Parameters
    ----------
    model : TreeClassifier or ObliqueTree
        A fitted classifier, or its tree.
    feature_names : sequence of str, optional
        Names of the features; by default those seen in `fit`, or ``x0, x1, ...``.
    class_names : sequence, optional
        Names of the classes; by default those of the classifier, or ``0, 1, ...``.

    Returns
    -------
    str

    Examples
    --------
    >>> from margintree import ObliqueTree, export_dot
    >>> tree = ObliqueTree.stump([2.0, -0.5], -1.0, leaf_classes=[0, 1], n_classes=2)
    >>> print(export_dot(tree, feature_names=["height", "age"], class_names=["no", "yes"]))
    digraph margintree {
      node [shape=box];
      1 [label="[1] height * 2 - age * 0.5 >= 1 ?"];
      2 [label="[2] no", style=rounded];
      1 -> 2 [label="no"];
      3 [label="[3] yes", style=rounded];
      1 -> 3 [label="yes"];
    }
    """
    lines = _lines(named(model, feature_names, class_names), 1)
    return "\n".join(["digraph margintree {", "  node [shape=box];", *lines, "}"])


def _lines(model: NamedTree, node: int) -> Iterator[str]:
    """Yield the statements of the subtree below a node, which is a split or a leaf."""
    node = model.tree.first_stop(node)
    if node > len(model.tree.splits):
        mix = leaf_mix(model, node)
        lines = [f"[{node}] {leaf_label(model, node)}", *(wrapped(mix, _WIDTH) if mix else [])]
        yield f"  {node} [label={_string(lines)}, style=rounded];"
        return
    asked = question_parts(model, question(model.tree, node))
    yield f"  {node} [label={_string(wrapped(asked, _WIDTH, f'[{node}] '))}];"
    for answer, child in (("no", topology.left(node)), ("yes", topology.right(node))):
        yield from _lines(model, child)
        yield f'  {node} -> {model.tree.first_stop(child)} [label="{answer}"];'


def _string(lines: Iterable[str]) -> str:
    """Return lines of text as a string of dot, with special characters escaped."""
    # A backslash begins an escape and an ampersand a character of HTML, also within quotes.
    escapes = str.maketrans({"\\": "\\\\", '"': '\\"', "&": "&amp;"})
    return '"' + "\\n".join(line.translate(escapes) for line in lines) + '"'
