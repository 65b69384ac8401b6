"""Sides, signs, numbers and colours of nodes agree, wherever a tree is shown or exported."""

import re
from dataclasses import replace
from unittest import mock

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from margintree import ObliqueTree, export_dot, export_text
from margintree.core.topology import left, right
from margintree.show.export.named_tree import named
from margintree.show.export.wording import TOLERANCE, question
from margintree.show.page import render
from margintree.show.plot._style import PALETTE, Pen, class_colours
from margintree.show.plot.tree_plot import _Drawing, laid_out
from models import fitted
from printed_rules import follow, read_rules
from runners import run_python, run_sqlite
from strategies import trees


@st.composite
def trees_of_different_leaves(draw):
    """Draw a tree in which the class of a row tells its leaf, upright or not, and rows for it."""
    tree = draw(trees(n_classes=8))
    n_leaves = len(tree.leaf_classes)
    tree = replace(tree, leaf_classes=np.arange(n_leaves), leaf_mass=np.ones((n_leaves, 8)))
    tree = tree.upright() if draw(st.booleans()) else tree
    scaled = np.random.default_rng(0).uniform(-0.2, 1.2, size=(12, tree.n_features))
    return tree, scaled


def sides_of(tree):
    """Return the nodes on the two sides of every split that rows can reach, from `split_values`."""
    sides, waiting = {}, [tree.first_stop(1)]
    while waiting:
        node = waiting.pop()
        if node <= len(tree.splits):
            no, yes = tree.first_stop(left(node)), tree.first_stop(right(node))
            sides[node] = {"no": no, "yes": yes}
            waiting += no, yes
    return sides


def drawn_sides(card):
    """Return the nodes after "no" and "yes" of every card, and check that "yes" is on the right."""
    sides = {}
    for one in card.all():
        if one.children:
            no, yes = one.children
            assert no.x < yes.x
            sides[one.node] = {"no": no.node, "yes": yes.node}
    return sides


def dot_sides(dot):
    """Return the arrows of a graph; Graphviz draws the first one on the left."""
    sides = {}
    for start, end, answer in re.findall(r"  (\d+) -> (\d+) \[label=\"(\w+)\"\]", dot):
        sides.setdefault(int(start), {})[answer] = int(end)
    assert all([*answers] == ["no", "yes"] for answers in sides.values())
    return sides


@settings(max_examples=60)
@given(case=trees_of_different_leaves())
def test_a_value_of_at_least_zero_means_yes_everywhere(case):
    """Text, graph, drawing, Python and SQL send a row to the leaf that `split_values` gives it."""
    tree, scaled = case
    names = [f"f{j}" for j in range(tree.n_features)]
    rules = read_rules(export_text(tree, feature_names=names))
    expected = sides_of(tree)
    assert {node: rule.children for node, rule in rules.items() if rule.children} == expected
    assert dot_sides(export_dot(tree)) == drawn_sides(laid_out(tree)) == expected
    model = fitted(tree, features=names)
    raw = scaled * tree.scaling.span + tree.scaling.minimum
    values = tree.split_values(tree.scaling.apply(raw))
    leaves = tree.leaves_of(values)
    frame = pd.DataFrame(raw, columns=names)
    for labels, _ in (run_python(model, frame), run_sqlite(model, frame)):
        assert labels == tree.leaf_classes[leaves - len(tree.leaf_classes)].tolist()
    for row, of_row, leaf in zip(raw, values, leaves, strict=True):
        assert follow(rules, lambda _, node, v=of_row: v[node - 1] >= 0) == tree.first_stop(leaf)
        if not (np.abs(of_row) <= 3 * TOLERANCE).any():
            named_row = dict(zip(names, row, strict=True))
            assert follow(rules, lambda rule, _, r=named_row: rule.holds(r)) == leaf


@given(trees())
def test_upright_trees_predict_the_same_and_begin_with_a_positive_term(tree):
    """Turning a split changes no prediction off its hyperplane, and nothing when done again."""
    turned = tree.upright()
    scaled = np.random.default_rng(0).uniform(size=(20, tree.n_features))
    clear = ~(np.abs(tree.split_values(scaled)) <= 1e-12).any(axis=1)
    np.testing.assert_array_equal(turned.predict(scaled[clear]), tree.predict(scaled[clear]))
    assert turned.upright() == turned
    for node in np.flatnonzero(turned.splits) + 1:
        assert turned.weights[node - 1, turned.by_influence(node)[0]] >= 0
        assert question(turned, node).relation == ">="


@settings(max_examples=12, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(case=trees_of_different_leaves())
def test_the_page_has_the_sides_and_signs_of_the_rules(browser, case):
    """Answers on the arrows, their order in the picture, the terms, and the way of every row."""
    tree, scaled = case
    page = browser.new_page()
    content = {"tree": tree.to_dict(), "shares": tree.leaf_shares().tolist()}
    asked = {t: question(tree, t) for t in range(1, len(tree.splits) + 1) if tree.splits[t - 1]}
    units = [asked[t].unit if t in asked else 1.0 for t in range(1, len(tree.splits) + 1)]
    page.set_content(render("t", content | {"units": units}))
    boxes = page.evaluate(
        "[...document.querySelectorAll('.node')].map((item) => [Number(item.dataset.node),"
        " item.querySelector('.box').getBoundingClientRect()])"
    )
    places = {node: box["x"] if len(boxes) <= 11 else box["y"] for node, box in boxes}
    expected = sides_of(tree)
    assert {*places} == {
        tree.first_stop(1),
        *(n for ends in expected.values() for n in ends.values()),
    }
    for node, answers in expected.items():
        assert places[answers["no"]] < places[answers["yes"]]
        edge = page.locator(f".edge[data-edge='{answers['yes']}'] text")
        assert edge.text_content() == "yes"
        shown = page.evaluate(f"tree.questions.get({node})")
        terms = {term["feature"]: term["coefficient"] for term in shown["terms"]}
        if not asked[node].terms:  # all weights are so small that the rules do without them
            continue
        assert [*terms] == [j for j, _ in asked[node].terms]
        assert shown["isAtMost"] == (asked[node].relation == "<=")
        for j, number in asked[node].terms:
            assert np.sign(terms[j]) == np.sign(float(number))
            assert terms[j] == pytest.approx(float(number), rel=0.01, abs=2 * TOLERANCE)
        assert shown["threshold"] == pytest.approx(
            float(asked[node].threshold), rel=0.01, abs=2 * TOLERANCE * abs(asked[node].unit)
        )
    raw = scaled * tree.scaling.span + tree.scaling.minimum
    ends = page.evaluate("(rows) => rows.map((row) => tree.path(row).at(-1))", raw.tolist())
    assert ends == [tree.first_stop(leaf) for leaf in tree.apply(tree.scaling.apply(raw))]
    page.close()


@settings(max_examples=20)
@given(case=trees_of_different_leaves())
def test_pictures_have_the_numbers_and_signs_of_the_rules(case):
    """Every card has the number of its node, the terms with their signs, and the threshold."""
    tree, _ = case
    said = []
    with mock.patch.object(Pen, "text", lambda *given, **_: said.append(given[3])):
        _Drawing(named(tree), max_terms=9, has_margins=False).draw(plt.figure().gca())
    plt.close("all")
    cards = {}
    for words in said[said.index(next(w for w in said if w.startswith("node "))) :]:
        if words.startswith("node "):
            lines = cards.setdefault(int(words.split()[1]), [])
        else:
            lines.append(words)
    sides = sides_of(tree)
    assert {*cards} == {tree.first_stop(1)} | {n for ends in sides.values() for n in ends.values()}
    for node in sides:
        asked = question(tree, node)
        *_, headline = [line for line in cards[node] if line.endswith("?")]
        assert ("≤" in headline) == (asked.relation == "<=")
        if len(asked.terms) > 1:
            listed = {j: cards[node][cards[node].index(f"x{j}") + 1] for j, _ in asked.terms}
            for j, number in asked.terms:
                written = float(listed[j].replace("−", "-"))
                assert written == pytest.approx(float(number), rel=0.06)


def test_a_class_has_one_colour(browser):
    """The page and the pictures colour the same class alike, textures apart."""
    n = 40
    tree = ObliqueTree.leaf(0, 1, n)
    page = browser.new_page()
    page.set_content(render("t", {"tree": tree.to_dict(), "shares": tree.leaf_shares().tolist()}))
    fills = page.evaluate("classes.map((_, k) => fillOf(k))")
    hues = page.evaluate("HUES")
    page.close()
    assert tuple(hues) == PALETTE
    for k, (fill, colour) in enumerate(zip(fills, class_colours(n), strict=True)):
        assert fill == (f"url(#class-{k})" if 7 <= k < 28 else colour)
        assert k >= 28 or PALETTE[k % 7] == colour


def test_names_of_a_bare_tree_are_the_same_in_all(browser):
    """Without names, features are x0, x1, ... and classes 0, 1, ..."""
    tree = ObliqueTree.stump([2.0, -0.5], -1.0, leaf_classes=[0, 1], n_classes=2)
    page = browser.new_page()
    page.set_content(render("t", {"tree": tree.to_dict(), "shares": tree.leaf_shares().tolist()}))
    assert page.evaluate("[features, classes]") == [[*names] for names in known(tree)]
    page.close()


def test_a_coefficient_of_one_is_written_nowhere(browser):
    """The page has the words of the rules."""
    tree = ObliqueTree.stump([-0.5, 1.0], -1.0, leaf_classes=[0, 1], n_classes=2)
    page = browser.new_page()
    page.set_content(render("t", {"tree": tree.to_dict(), "shares": tree.leaf_shares().tolist()}))
    lines = page.evaluate("questionLines(1)")
    page.close()
    words = " ".join(lines).replace("−", "-").replace("×", "*").replace("≥", ">=")
    assert words == "x1 - x0 * 0.5 >= 1 ?" == read_rules(export_text(tree))[1].text


def known(tree):
    """Return the names of features and classes that the exports use."""
    model = named(tree)
    return model.features, model.classes


@pytest.mark.parametrize("upright", [False, True])
def test_the_first_split_of_a_mirrored_tree(upright):
    """The case that began this file: a first weight below 0."""
    tree = ObliqueTree.stump([-2.0, 0.5], 1.0, leaf_classes=[0, 1], n_classes=2)
    rules = read_rules(export_text(tree.upright() if upright else tree))
    assert rules[1].text.startswith("x0 * 2" if upright else "- x0 * 2")
    assert [rules[node].text for node in (2, 3)] == (["1", "0"] if upright else ["0", "1"])
