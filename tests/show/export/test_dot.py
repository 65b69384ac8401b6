"""The tree as a graph for Graphviz."""

import re

import numpy as np
import pytest
from hypothesis import given

from margintree import MOCTSVMClassifier, ObliqueTree, export_dot, export_text
from margintree._lib.exceptions import InvalidInputError
from strategies import trees

STRING = r'"(?:[^"\\]|\\.)*"'
STATEMENT = rf"  (?:node \[shape=box\]|\d+(?: -> \d+)? \[label={STRING}(?:, style=rounded)?\]);"


def shown(label):
    """Return what Graphviz shows for a string, line by line."""
    lines = label.replace(r"\\", "\0").split(r"\n")
    return [line.replace(r"\"", '"').replace("\0", "\\").replace("&amp;", "&") for line in lines]


def parsed(dot):
    """Return the texts of the nodes and the answers and ends of the arrows from every node."""
    texts, arrows = {}, {}
    for line in dot.split("\n"):
        if match := re.match(rf"  (\d+) -> (\d+) \[label=({STRING})\];$", line):
            arrows.setdefault(int(match[1]), {})[match[3].strip('"')] = int(match[2])
        elif match := re.match(rf"  (\d+) \[label=({STRING})", line):
            texts[int(match[1])] = shown(match[2][1:-1])
    return texts, arrows


def rules(dot):
    """Return the graph as the rules of `export_text`, without their drawing."""
    texts, arrows = parsed(dot)

    def lines(node):
        if node not in arrows:
            return [
                "  ".join(
                    [texts[node][0], *([" ".join(texts[node][1:])] if texts[node][1:] else [])]
                )
            ]
        yes, no = lines(arrows[node]["yes"]), lines(arrows[node]["no"])
        return [" ".join(texts[node]), "yes: " + yes[0], *yes[1:], "no: " + no[0], *no[1:]]

    # The first node is the one from which all others are reached.
    return lines(next(iter(texts)))


@given(trees())
def test_the_graph_says_what_the_rules_say(tree):
    """The same questions, answers and leaves as `export_text`, arrow by arrow."""
    joined = export_text(tree, width=10_000)
    assert rules(export_dot(tree)) == re.sub(r"[│├└─]+ +| {4}", "", joined).split("\n")


@pytest.mark.parametrize(
    "name",
    [
        "<script>alert(1)</script>",
        '"; DROP TABLE x; --',
        '"]; 9 -> 9; x [label="',
        "'''",
        "größe 身長",
        "back\\",
        "\\N \\G \\l",
        "&lt; &amp;",
    ],
)
def test_names_are_only_text(name):
    """No name ends its string, whatever is in it, and Graphviz would show it as it is."""
    tree = ObliqueTree.stump([2.0], -1.0, leaf_classes=[0, 1], n_classes=2)
    dot = export_dot(tree, feature_names=[name], class_names=[name, "other"])
    opening, *statements, closing = dot.split("\n")
    assert (opening, closing) == ("digraph margintree {", "}")
    assert all(re.fullmatch(STATEMENT, statement) for statement in statements)
    texts, _ = parsed(dot)
    assert texts == {1: [f"[1] {name} >= 0.5 ?"], 2: [f"[2] {name}"], 3: ["[3] other"]}


def test_line_breaks_in_names_cannot_break_the_graph():
    """Control characters are shown as question marks, as in the rules."""
    tree = ObliqueTree.leaf(1, 1, 1)
    assert '"[2] a?b?"' in export_dot(tree, class_names=["a\nb\0"])


def test_names_and_mixes_come_from_the_classifier():
    """Leaves say how many rows of which class arrived."""
    model = MOCTSVMClassifier(1, c1=10).fit([[0.0], [1.0], [4.0], [5.0]], list("aabb"))
    model.feature_names_in_ = np.array(["height"], dtype=object)
    assert 'label="[1] height >= ' in export_dot(model)
    assert r'label="[3] b\n(b 100% of 2)"' in export_dot(model)


def test_names_must_be_as_many_as_features():
    """A wrong number of names is refused."""
    with pytest.raises(InvalidInputError, match="2 names of features"):
        export_dot(ObliqueTree.leaf(1, 2, 2), feature_names=["a"])
