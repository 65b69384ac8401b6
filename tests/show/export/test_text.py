"""The tree as rules that a person can follow by hand."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from margintree import MOCTSVMClassifier, ObliqueTree, OCTClassifier, export_text
from margintree._lib.exceptions import InvalidInputError
from margintree.data.datasets import load
from margintree.show.export.wording import TOLERANCE, wrapped
from printed_rules import follow, read_rules
from strategies import trees


class Reader:
    """Follows the printed rules; the slow twin of `export_text`."""

    def __init__(self, text, names):
        self.rules, self.names = read_rules(text), names

    def answer(self, row):
        """Return the class that the rules give a row."""
        values = dict(zip(self.names, row, strict=True))
        leaf = follow(self.rules, lambda rule, _: rule.holds(values))
        return self.rules[leaf].text.split("  (")[0]


@given(trees())
def test_following_the_rules_gives_the_predicted_class(tree):
    """For any tree and any row of its box that is not too close to a split."""
    names = [f"f{j}" for j in range(tree.n_features)]
    reader = Reader(export_text(tree, feature_names=names), names)
    scaled = np.random.default_rng(0).uniform(size=(20, tree.n_features))
    clear = ~(np.abs(tree.split_values(scaled)) <= TOLERANCE).any(axis=1)
    raw = scaled * tree.scaling.span + tree.scaling.minimum
    for row, label in zip(raw[clear], tree.predict(scaled[clear]), strict=True):
        assert reader.answer(row) == str(label)


@pytest.mark.parametrize("name", ["iris", "wine"])
def test_training_rows_take_the_same_way(name):
    """Rounding changes nothing for the rows that were learnt from."""
    data = load(name)
    names = [feature.replace(" ", "_") for feature in data.feature_names]
    model = MOCTSVMClassifier(max_iter=10, c1=10).fit(data.X, data.y)
    reader = Reader(export_text(model, feature_names=names), names)
    assert [reader.answer(row) for row in data.X] == model.predict(data.X).tolist()


def test_mirror_images_read_the_same_once_upright():
    """Negating a split and swapping its sides changes nothing in print after a fit."""
    one = ObliqueTree.stump([2.0, -0.5], -1.0, leaf_classes=[0, 1], n_classes=2)
    other = ObliqueTree.stump([-2.0, 0.5], 1.0, leaf_classes=[1, 0], n_classes=2)
    assert export_text(other.upright()) == export_text(one)


def test_a_single_feature_with_a_negative_weight_is_at_most_its_threshold():
    """The answer "yes" leads to the right also where a tree was not made upright."""
    tree = ObliqueTree.stump([-2.0], 1.0, leaf_classes=[0, 1], n_classes=2)
    assert export_text(tree).split("\n") == ["[1] x0 <= 0.5 ?", "├── yes: [3] 1", "└── no: [2] 0"]


@given(st.lists(st.text("ab +", min_size=1), min_size=1), st.integers(1, 30))
def test_lines_are_broken_between_parts_only(parts, width):
    """No line is too wide unless it has a single part, and no part is lost."""
    lines = wrapped(parts, width, "> ", "  ")
    written = [line[2:] for line in lines]
    assert " ".join(written).split() == " ".join(parts).split()
    ends = [part.rstrip(" ") for part in parts]
    assert all(len(line) <= width or line[2:] in ends for line in lines)


@pytest.mark.parametrize("width", [60, 80, 200])
def test_rules_fit_the_width(width):
    """The branches of a tree are never broken, and their questions keep to the width."""
    data = load("wine")
    model = MOCTSVMClassifier(2, c1=10.0, max_iter=3).fit(data.X, data.y)
    text = export_text(model, feature_names=data.feature_names, width=width)
    assert max(map(len, text.split("\n"))) <= width
    assert len(read_rules(text)) == 2 * model.tree_.n_splits + 1


def test_a_tree_without_splits_is_one_line():
    """There is nothing to ask."""
    assert export_text(ObliqueTree.leaf(2, 1, 2, label=1), class_names=["no", "yes"]) == "[4] yes"


def test_a_question_without_terms_compares_zero():
    """Weights too small to matter anywhere in the box leave nothing but the threshold."""
    tree = ObliqueTree.stump([1e-9], -1.0, leaf_classes=[0, 1], n_classes=2)
    assert export_text(tree).startswith("[1] 0 >= 1 ?\n")


def test_names_come_from_the_classifier():
    """Labels and feature names as fitted; a name cannot break the drawing or the terminal."""
    model = MOCTSVMClassifier(1, c1=10).fit([[0.0], [1.0], [4.0], [5.0]], list("aabb"))
    model.feature_names_in_ = np.array(["x\n\x1b[31m"], dtype=object)
    text = export_text(model)
    assert text.startswith("[1] x??[31m >= ")
    assert "b  (b 100% of 2)" in text


def test_names_must_be_as_many_as_features_and_classes():
    """A wrong number of names is refused."""
    tree = ObliqueTree.leaf(1, 2, 2)
    with pytest.raises(InvalidInputError, match="2 names of features"):
        export_text(tree, feature_names=["a"])
    with pytest.raises(InvalidInputError, match="2 names of classes"):
        export_text(tree, class_names=["a"])


@pytest.mark.parametrize("largest", [1e3, 1e9, 1e12, 2.0**60])
def test_thresholds_have_the_digits_they_need(largest):
    """An odd value far away leaves little of the range to the others, and they stay apart."""
    x = np.array([1.0, 2.0, 4.75, 5.25, 9.0, largest])
    y = x > 5
    text = export_text(OCTClassifier(max_depth=1).fit(x[:, None], y))
    threshold = float(re.search(r"x0 >= (\S+) \?", text)[1])
    np.testing.assert_array_equal(x >= threshold, y)
