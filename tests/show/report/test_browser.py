"""A real browser opens reports and uses them as a person would."""

import os
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import confusion_matrix, precision_recall_fscore_support

from margintree import (
    CARTClassifier,
    MOCTSVMClassifier,
    ObliqueTree,
    make_table_classifier,
)
from margintree.core.space import Space
from margintree.estimators import ESTIMATORS
from margintree.show.export.wording import question
from margintree.show.page import framed, render
from margintree.show.report._content import LEARNT_FROM

ARTIFACTS = Path(os.environ.get("MARGINTREE_ARTIFACTS", Path(__file__).parents[3] / "artifacts"))
HOSTILE = ["<script>alert(1)</script>", "</script><img src=x onerror=alert(1)>"]


def open_report(visit, case, **options):
    return visit(case.clf.report(case.X, case.y, case.names).html, **options)


def predicted(page):
    """Return the code of the class that the page predicts."""
    return int(page.locator("#verdict").get_attribute("data-class"))


def choose(page, row):
    """Choose a row, counted from 0."""
    page.locator("#row-number").fill(str(row + 1))
    page.locator("#row-number").press("Enter")


def type_values(page, row):
    """Type the values of a row into the fields."""
    fields = page.locator(".fields input[type='number']").all()
    for field, value in zip(fields, row, strict=True):
        field.fill(repr(float(value)))


def paste_values(page, row):
    """Put the values of a row into the fields all at once."""
    page.locator(".fields").evaluate(
        "(form, row) => row.forEach((value, j) => {"
        " const field = form.querySelector(`[data-feature='${j}']`);"
        " field.value = value; field.dispatchEvent(new Event('input')); })",
        [repr(float(value)) for value in row],
    )


def nodes_on_path(page):
    """Return the numbers of the highlighted nodes."""
    items = page.locator(".node.on-path").evaluate_all("nodes => nodes.map(n => n.dataset.node)")
    return {int(item) for item in items}


def shown_numbers(texts):
    return np.array([float(text.replace("−", "-").replace(",", "")) for text in texts])


@pytest.mark.parametrize("kind", ["iris", "deep"])
def test_a_split_shows_its_question(visit, kind, request):
    """The hyperplane in original units, terms by influence; yes and no as in the printed rules."""
    case = request.getfixturevalue(kind)
    tree, raw = case.clf.tree_, case.clf.tree_.in_original_units()
    page = open_report(visit, case)
    panel = page.locator("#panel-node")
    for node in map(int, np.flatnonzero(tree.splits) + 1):
        page.locator(f".node[data-node='{node}']").click()
        assert panel.locator("h2").inner_text() == f"Split {node}"
        order = np.argsort(-np.abs(tree.weights[node - 1]), kind="stable")
        used = order[tree.weights[node - 1, order] != 0]
        names = panel.locator(".terms tbody th").all_inner_texts()
        assert names == [case.names[j] for j in used]
        coefficients = shown_numbers(panel.locator(".terms tbody .figure").all_inner_texts())
        np.testing.assert_allclose(coefficients, raw.weights[node - 1, used], rtol=5e-3)
        threshold = shown_numbers([panel.locator("p strong").inner_text()])
        np.testing.assert_allclose(threshold, -raw.intercepts[node - 1], rtol=5e-3)
        yes = tree.first_stop(2 * node + 1)
        assert page.locator(f".edge[data-edge='{yes}'] text").text_content() == "yes"


def test_a_single_feature_is_compared_as_it_is(visit, iris):
    """The trees of CART: no coefficients, thresholds and histograms in original units."""
    clf = CARTClassifier(max_depth=2).fit(iris.X, iris.y)
    page = visit(clf.report(iris.X, iris.y, iris.names).html)
    node = int(np.flatnonzero(clf.tree_.splits)[-1]) + 1
    page.locator(f".node[data-node='{node}']").click()
    asked = question(clf.tree_, node)
    name, threshold = iris.names[asked.terms[0][0]], float(asked.threshold)
    panel = page.locator("#panel-node")
    assert panel.locator("p").first.inner_text().startswith(f"Is {name} at least ")
    shown = shown_numbers([panel.locator("p strong").inner_text()])
    np.testing.assert_allclose(shown, threshold, rtol=0.02)
    assert f"Values of {name}: no below" in panel.inner_text()
    assert "margin" not in panel.inner_text()
    assert panel.locator("svg.chart .margin").count() == 0
    assert page.locator("#cost tbody th").all_inner_texts() == ["errors", "splits", "total"]
    page.locator("#tab-row").click()
    choose(page, 149)
    assert predicted(page) == list(clf.classes_).index(clf.predict(iris.X[[149]])[0])
    step = page.locator(f".step[data-step='{node}'] h4").inner_text()
    assert step.startswith(f"Split {node}: {name} {iris.X[149, asked.terms[0][0]]:g} ")


def test_the_margin_is_written_in_the_units_of_the_split(visit, iris):
    """Also where a split has points: the text names the ends that the histogram marks."""
    for points in (None, 10):
        clf = MOCTSVMClassifier(max_depth=2, c1=10.0, max_iter=5, points=points)
        page = visit(clf.fit(iris.X[::3], iris.y[::3]).report(iris.X, iris.y, iris.names).html)
        panel = page.locator("#panel-node")
        said = re.search(r"The margin, −(\S+) to (\S+), is shaded", panel.inner_text())
        assert said is not None
        assert said[1] == said[2]
        assert (said[1] == "1") == (points is None)
        labels = panel.locator("svg.chart text").all_text_contents()
        assert {"−" + said[1], said[1]} <= set(labels)


@pytest.mark.parametrize("kind", ESTIMATORS.values(), ids=ESTIMATORS)
def test_every_classifier_can_be_reported_on(visit, kind, iris):
    """Its own terms of cost, margins where it pays for them, and the classes of predict."""
    X, y = iris.X[50::5], iris.y[50::5]
    clf = kind(2).fit(X, y)
    page = visit(clf.report(X, y, iris.names).html)
    terms = [*clf.cost_.terms]
    assert page.locator("#cost tbody th").all_inner_texts() == [*terms, "total"]
    assert page.locator("#panel-node .margin").count() == clf._method.has_margins
    page.locator("#tab-row").click()
    for row in range(0, len(X), 4):
        choose(page, row)
        assert clf.classes_[predicted(page)] == clf.predict(X[[row]])[0]


def test_a_node_shows_who_arrives(visit, iris):
    """Rows and class mix of every node, and how far from the hyperplane of a split."""
    page = open_report(visit, iris)
    panel = page.locator("#panel-node")
    for node in np.flatnonzero(iris.clf.tree_.splits) + 1:
        page.locator(f".node[data-node='{node}']").click()
        arriving = iris.clf.decision_path(iris.X)[:, [node - 1]].sum()
        assert f"{arriving} of 150 rows" in panel.inner_text()
        assert panel.locator("svg.chart .margin").count() == 1
    leaf = page.locator(".node.leaf").first
    leaf.click()
    assert page.locator("#panel-node h2").inner_text() == f"Leaf {leaf.get_attribute('data-node')}"
    assert page.locator(".node.selected").count() == 1


def test_only_splits_and_their_leaves_are_drawn(visit, deep):
    """Branch nodes that do not split are left out of the picture."""
    page = open_report(visit, deep)
    assert page.locator(".node.split").count() == deep.clf.tree_.n_splits
    assert page.locator(".node.leaf").count() == deep.clf.tree_.n_splits + 1


def test_a_row_takes_the_way_of_decision_path(visit, deep):
    """The highlighted nodes are those that decision_path gives, as far as they are drawn."""
    page = open_report(visit, deep)
    page.locator("#tab-row").click()
    drawn = page.locator(".node").evaluate_all("nodes => nodes.map(n => Number(n.dataset.node))")
    path = deep.clf.decision_path(deep.X).toarray()
    shares = deep.clf.predict_proba(deep.X)
    for row in (0, 1, 7, 50, 123, 399):
        choose(page, row)
        assert nodes_on_path(page) == {*(np.flatnonzero(path[row]) + 1).tolist()} & {*drawn}
        assert predicted(page) == deep.clf.predict(deep.X[[row]])[0]
        largest = page.locator(".outcome .bars .figure").first.inner_text()
        assert share(largest) == about(shares[row].max())
        assert page.locator(".step").count() == len(nodes_on_path(page)) - 1


def test_rows_can_be_walked_through_and_filtered(visit, deep):
    """Back and on go round; the filter leaves the misclassified rows."""
    page = open_report(visit, deep)
    page.locator("#tab-row").click()
    number = page.locator("#row-number")
    page.locator("#row-back").click()
    assert number.input_value() == "400"
    page.locator("#row-on").click()
    assert number.input_value() == "1"
    wrong = np.flatnonzero(deep.clf.predict(deep.X) != deep.y) + 1
    assert len(wrong) > 3
    page.locator("#row-filter").select_option("wrong")
    for expected in wrong[:4]:
        assert number.input_value() == str(expected)
        assert page.locator("#verdict .wrong").count() == 1
        page.locator("#row-on").click()


def test_typed_values_get_the_class_that_predict_gives(visit, deep):
    """50 random rows, some far outside the range of the training rows, some on a hyperplane."""
    page = open_report(visit, deep)
    page.locator("#tab-row").click()
    rng = np.random.default_rng(1)
    centre, spread = deep.X.mean(axis=0), deep.X.std(axis=0)
    rows = centre + rng.normal(size=(50, len(centre))) * spread * rng.choice([1, 3], size=(50, 1))
    slopes = deep.clf.tree_.in_original_units().weights[0]
    rows[25:, 0] -= deep.clf.split_values(rows[25:])[:, 0] / slopes[0]
    expected = deep.clf.predict(rows)
    assert len(np.unique(expected)) > 2
    for i, (row, label) in enumerate(zip(rows, expected, strict=True)):
        (type_values if i % 5 == 0 else paste_values)(page, row)
        assert predicted(page) == label


def test_values_that_are_no_numbers_are_pointed_out(visit, iris):
    """The field is marked; the prediction stays that of the last numbers."""
    page = open_report(visit, iris)
    page.locator("#tab-row").click()
    field = page.locator(".fields input").first
    field.fill("")
    assert field.get_attribute("aria-invalid") == "true"
    assert "needs a number" in page.locator("#about-row").inner_text()
    field.fill("5")
    assert field.get_attribute("aria-invalid") == "false"


def random_tree(depth, rng):
    """Return a tree in which some branch nodes do not split, also above others that do."""
    n_branch, n_features, n_classes = 2**depth - 1, 3, 5
    splits = rng.random(n_branch) < 0.8
    return ObliqueTree(
        weights=rng.normal(size=(n_branch, n_features)).round(1) * splits[:, None],
        intercepts=np.where(splits, rng.normal(size=n_branch), -1.0),
        splits=splits,
        leaf_classes=rng.integers(n_classes, size=n_branch + 1),
        leaf_mass=rng.integers(3, size=(n_branch + 1, n_classes)).astype(float),
        scaling=Space(np.array([-1.0, 0.0, 5.0]), np.array([2.0, 0.3, 1000.0])),
    )


@pytest.mark.parametrize(("depth", "seed"), [(1, 0), (2, 1), (3, 2), (8, 3)])
def test_any_tree_can_be_shown_and_followed(visit, depth, seed):
    """Up to depth 8, also where branch nodes do not split: the way and the class of every row."""
    rng = np.random.default_rng(seed)
    tree = random_tree(depth, rng)
    page = visit(render("any", {"tree": tree.to_dict(), "shares": tree.leaf_shares().tolist()}))
    page.locator("#tab-row").click()
    drawn = page.locator(".node").evaluate_all("nodes => nodes.map(n => Number(n.dataset.node))")
    rows = tree.scaling.minimum + tree.scaling.span * rng.normal(size=(12, 3))
    scaled = tree.scaling.apply(rows)
    visited = tree.decision_path(scaled).toarray()
    for row, nodes, code in zip(rows, visited, tree.predict(scaled), strict=True):
        paste_values(page, row)
        assert predicted(page) == code
        assert nodes_on_path(page) == {*(np.flatnonzero(nodes) + 1).tolist()} & {*drawn}
    assert {tree.first_stop(node) for node in drawn} == {*drawn}


def test_a_split_without_terms_is_shown(visit):
    """A hyperplane that no feature moves asks the same of every row."""
    tree = ObliqueTree.stump([0.0, 0.0], 1.0, leaf_classes=[0, 1], n_classes=2)
    page = visit(render("flat", {"tree": tree.to_dict(), "shares": tree.leaf_shares().tolist()}))
    assert "2 features are not used here" in page.locator("#panel-node").inner_text()
    page.locator("#tab-row").click()
    assert predicted(page) == 1


def changes_shown(page):
    """Return, by feature, the changes that the page proposes."""
    buttons = page.locator(".try").evaluate_all("buttons => buttons.map(b => ({...b.dataset}))")
    return {int(change["feature"]): {k: float(v) for k, v in change.items()} for change in buttons}


def with_values(row, feature, values):
    """Return copies of the row with these values of one feature."""
    rows = np.tile(row, (len(values), 1))
    rows[:, feature] = values
    return rows


def test_the_smallest_change_is_one_and_the_smallest(visit, deep):
    """Beyond the crossing the prediction is the new one; closer to the row it never changes."""
    page = open_report(visit, deep)
    page.locator("#tab-row").click()
    spans = deep.clf.tree_.scaling.span
    n_changes = n_without = 0
    for row in (0, 3, 11, 42, 200, 311):
        choose(page, row)
        x = deep.X[row]
        (now,) = deep.clf.predict([x])
        found = changes_shown(page)
        for feature, span in enumerate(spans):
            if feature not in found:
                reach = x[feature] + span * np.linspace(-50, 50, 4001)
                assert {*deep.clf.predict(with_values(x, feature, reach))} == {now}
                n_without += 1
                continue
            change = found[feature]
            distance = change["crossing"] - x[feature]
            beyond = x[feature] + distance * (1 + 1e-9)
            after = deep.clf.predict(with_values(x, feature, [beyond, change["to"]]))
            assert after.tolist() == [change["label"]] * 2
            assert change["label"] != now
            closer = x[feature] + distance * (1 - 1e-9) * np.linspace(-1, 1, 2001)
            assert {*deep.clf.predict(with_values(x, feature, closer))} == {now}
            n_changes += 1
    assert n_changes > 10
    assert n_without > 0


def test_a_change_can_be_tried(visit, deep):
    """The button types the value, and the prediction is the promised one."""
    page = open_report(visit, deep)
    page.locator("#tab-row").click()
    button = page.locator(".try").first
    data = button.evaluate("button => ({...button.dataset})")
    button.click()
    field = page.locator(f".fields input[data-feature='{data['feature']}']")
    assert float(field.input_value()) == pytest.approx(float(data["to"]), rel=1e-6)
    assert field.get_attribute("title") == data["to"]
    assert predicted(page) == int(data["label"])


def test_no_change_is_said_to_be_none(visit):
    """A tree whose leaves all predict the same has no change to offer."""
    clf = MOCTSVMClassifier(max_depth=1, c1=0.0).fit([[0.0], [1.0]], ["a", "b"])
    page = visit(clf.report([[0.0], [1.0]], ["a", "b"]).html)
    page.locator("#tab-row").click()
    assert clf.tree_.n_splits == 0
    assert page.locator("#smallest-change").inner_text().startswith("None")


def test_scores_are_those_of_scikit_learn(visit, deep):
    """Accuracy, confusion matrix, precision, recall, F1 and support."""
    page = open_report(visit, deep)
    guesses = deep.clf.predict(deep.X)
    assert share(page.locator("#accuracy").inner_text()) == about(np.mean(guesses == deep.y))
    assert page.get_by_text(LEARNT_FROM).count() == 1  # the fixture reports its training rows
    cells = page.locator("#confusion .cell").all_inner_texts()
    counts = [0 if cell == "·" else int(cell) for cell in cells]
    assert counts == confusion_matrix(deep.y, guesses).ravel().tolist()
    rows = [line.split("\t") for line in page.locator("#scores tbody tr").all_inner_texts()]
    expected = np.transpose(precision_recall_fscore_support(deep.y, guesses))
    for (_, *shares, support), scores in zip(rows, expected, strict=True):
        assert [share(text) for text in shares] == about(scores[:3])
        assert support == f"{scores[3]:.0f}"


def share(text):
    """Return the share that a percentage says."""
    return float(text.removesuffix("%")) / 100


def about(shares):
    """Return what shares are equal to when they are shown with one digit behind the point."""
    return pytest.approx(shares, rel=0, abs=0.000501)


@pytest.mark.parametrize(
    ("norm", "name"),
    [("l2", "margin"), ("l1", "margin, l1 norm"), ("linf", "margin, l-infinity norm")],
)
def test_the_margin_term_names_its_norm_unless_it_is_the_usual_one(visit, iris, norm, name):
    """In the table of costs, and in the words that explain the term."""
    clf = MOCTSVMClassifier(max_depth=2, norm=norm, max_iter=1).fit(iris.X, iris.y)
    page = visit(clf.report(iris.X, iris.y).html)
    span = page.locator("#cost tbody th span").filter(has_text="margin")
    assert span.inner_text() == name
    assert (" norm of its weights" in span.get_attribute("title")) == (norm != "l2")


def test_cost_and_proof_are_shown(visit, iris):
    """Terms, bound and why it ended; a bare tree says that nothing is known of its fit."""
    page = open_report(visit, iris)
    text = page.locator("#fit").inner_text()
    for word in ("margin", "violations", "any tree costs at least", iris.clf.result_.ended):
        assert word in text
    assert page.locator("#trace path.cost").count() == 1
    bare = ObliqueTree.stump([2.0], -1.0, leaf_classes=[0, 1], n_classes=2)
    content = {"tree": bare.to_dict(), "shares": bare.leaf_shares().tolist()}
    frame = visit(framed(render("bare", content))).frame_locator("iframe")
    assert "The fit is unknown" in frame.locator("#fit").inner_text()


def test_notebooks_get_a_tree_that_can_be_clicked(visit, iris):
    """Without rows: class mix of training, and what-if values."""
    frame = visit(iris.clf._repr_html_()).frame_locator("iframe")
    frame.locator(".node.leaf").first.click()
    assert frame.locator("#panel-node h2").inner_text().startswith("Leaf")
    frame.locator("#tab-row").click()
    assert frame.locator("#row-number").count() == 0
    assert frame.locator("#quality").count() == 0
    for j, value in enumerate(iris.X[-1]):
        frame.locator(f".fields input[data-feature='{j}']").fill(str(value))
    code = int(frame.locator("#verdict").get_attribute("data-class"))
    assert iris.clf.classes_[code] == iris.clf.predict(iris.X[[-1]])[0]


def test_hostile_names_stay_text(visit):
    """Columns and classes that look like scripts are shown, and nothing runs."""
    X = np.array([[0.0, 1.0], [1.0, 0.0], [4.0, 1.0], [5.0, 0.0]])
    y = np.array(HOSTILE).repeat(2)
    clf = MOCTSVMClassifier(max_depth=1, c1=10.0).fit(X, y)
    page = visit(clf.report(X, y, feature_names=HOSTILE).html)
    frame = visit(f"<p>{clf._repr_html_()}</p>").frame_locator("iframe")
    for place in (page, frame):
        place.locator(".node.leaf").first.click()
        place.locator("#tab-row").click()
        text = place.locator("main").inner_text()
        assert all(name in text for name in HOSTILE)
        assert place.locator("img").count() == 0
        assert place.locator("script").count() == 2
    labels = page.locator("#legend").inner_text()
    assert all(name in labels for name in HOSTILE)


def test_a_large_report_says_which_rows_it_holds(visit):
    """Scores over all rows; rows to choose from are a stated sample."""
    X = np.random.default_rng(0).normal(size=(4000, 54))
    y = np.where(X[:, 0] > 0, "up", "down")
    clf = MOCTSVMClassifier(max_depth=1, time_limit=0).fit(X[:200], y[:200])
    page = visit(clf.report(X, y).html)
    page.locator("#tab-row").click()
    about = page.locator("#about-row").inner_text()
    assert re.search(r"evenly spaced rows of 4,000; all scores and counts are over all", about)
    assert "of 4,000 rows as labelled" in page.locator("#quality").inner_text()


def focused(page):
    """Return what tells the focused element from others."""
    return page.evaluate(
        "() => { const a = document.activeElement;"
        " return a.dataset.node ? `node ${a.dataset.node}`"
        " : a.dataset.feature ? `${a.tagName} ${a.dataset.feature}` : a.id || a.tagName }"
    )


def press_until(page, wanted, key="Tab", at_most=60):
    """Press a key until the wanted element has the focus, and return what was passed."""
    passed = []
    for _ in range(at_most):
        page.keyboard.press(key)
        passed.append(focused(page))
        if passed[-1] == wanted:
            return passed
    raise AssertionError(f"{wanted} is not reached by {key}: {passed}")


def test_the_keyboard_reaches_everything(visit, iris):
    """Tab, arrow keys and Enter alone: theme, zoom, nodes, tabs, rows, fields, changes."""
    page = open_report(visit, iris)
    press_until(page, "theme")
    before = page.locator("html").get_attribute("data-theme")
    page.keyboard.press("Enter")
    assert page.locator("html").get_attribute("data-theme") != before
    passed = press_until(page, "node 1")
    assert {"zoom-out", "zoom-fit", "zoom-in"} <= {*passed}
    reached = {"node 1"}
    for key in ("ArrowDown", "ArrowRight", "ArrowDown", "ArrowRight"):
        page.keyboard.press(key)
        reached.add(focused(page))
        page.keyboard.press("Enter")
        number = focused(page).removeprefix("node ")
        assert page.locator("#panel-node h2").inner_text().endswith(f" {number}")
    drawn = page.locator(".node").evaluate_all("nodes => nodes.map(n => `node ${n.dataset.node}`)")
    assert reached == {*drawn}
    press_until(page, "tab-node")
    page.keyboard.press("ArrowRight")
    assert focused(page) == "tab-row"
    press_until(page, "row-number")
    page.keyboard.press("Control+a")
    page.keyboard.type("77")
    page.keyboard.press("Enter")
    assert "Row 77 of 150" in page.locator("#about-row").inner_text()
    passed = press_until(page, "INPUT 3")
    assert {"row-on", "row-filter", "INPUT 0", "INPUT 1", "INPUT 2"} <= {*passed}
    page.keyboard.type("9")
    assert "your own" in page.locator("#about-row").inner_text()
    press_until(page, f"BUTTON {min(changes_shown(page))}")
    page.keyboard.press("Enter")


def test_focus_can_be_seen(visit, iris):
    """Whatever has the focus by keyboard has a ring."""
    page = open_report(visit, iris)
    press_until(page, "theme")
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"
    press_until(page, "node 1")
    ring = "getComputedStyle(document.activeElement.querySelector('.box')).strokeDasharray"
    assert page.evaluate(ring) != "none"


@pytest.mark.parametrize("kind", ["iris", "deep"])
def test_a_phone_never_scrolls_the_page_sideways(visit, kind, request):
    """At 360 pixels what is wide scrolls in a box of its own, in every view."""
    page = open_report(visit, request.getfixturevalue(kind), width=360, height=740)
    for tab in ("node", "row"):
        page.locator(f"#tab-{tab}").click()
        assert page.evaluate("document.documentElement.scrollWidth") <= 360


def test_colours_follow_the_system(visit, iris):
    """Light and dark from the start, and the button turns them over."""
    colour = "getComputedStyle(document.documentElement).backgroundColor"
    backgrounds = []
    for scheme in ("light", "dark"):
        page = open_report(visit, iris, color_scheme=scheme)
        page.locator("#tab-row").click()
        backgrounds.append(page.evaluate(colour))
        picture(page, f"report-{scheme}")
    assert len({*backgrounds}) == 2
    page.locator("#theme").click()
    assert page.evaluate(colour) == backgrounds[0]


def test_pictures_of_reports_are_kept_to_look_at(visit, iris, deep):
    """Screenshots of both shapes of tree and of a phone, none of them empty."""
    sizes = [
        picture(open_report(visit, iris), "report-node"),
        picture(open_report(visit, deep), "report-deep"),
        picture(open_report(visit, iris, width=360, height=740), "report-phone"),
    ]
    assert min(sizes) > 10_000


def picture(page, name):
    """Write a screenshot and return its size."""
    ARTIFACTS.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=ARTIFACTS / f"{name}.png", full_page=True)
    return (ARTIFACTS / f"{name}.png").stat().st_size


@pytest.fixture(scope="module")
def table():
    """Return a tree on a table of numbers, categories and booleans with missing cells, and it."""
    n = 60
    rng = np.random.default_rng(0)
    labels = np.array(["hen", "egg", "chick"])[np.arange(n) % 3]
    colours = {"hen": ["red", "black"], "egg": ["white", "red"], "chick": ["yellow", "white"]}
    rows = pd.DataFrame(
        {
            "size": (rng.normal(3, 1, n) + 2 * (labels == "hen")).round(2),
            "colour": [rng.choice(colours[label]) for label in labels],
            "moves": [label != "egg" for label in labels],
        }
    ).astype({"moves": object})
    rows.loc[::7, "size"] = None
    rows.loc[rng.random(n) < 0.1, "colour"] = None
    rows.loc[(labels == "egg") & (rng.random(n) < 0.6), "moves"] = None
    rows.loc[[1, 2], "colour"] = ["green", "blue"]
    return (
        make_table_classifier(MOCTSVMClassifier(2, c1=10.0, max_iter=2)).fit(rows, labels),
        rows,
        labels,
    )


def test_a_table_is_followed_by_its_columns(visit, table):
    """Every row, missing cells and all, is predicted as predict does."""
    clf, rows, labels = table
    page = visit(clf.report(rows, labels).html)
    assert "3 columns" in page.locator("#summary").inner_text()
    assert re.search(r"\bif (colour|moves) is ", page.locator("#panel-node").inner_text())
    page.locator("#tab-row").click()
    for row, label in enumerate(clf.predict(rows)):
        choose(page, row)
        assert clf.classes_[predicted(page)] == label
    assert picture(page, "report-table") > 10_000


def test_cells_of_a_table_are_typed_and_chosen(visit, table):
    """Numbers are typed, categories chosen, any may be missing; a change does what it says."""
    clf, rows, labels = table
    page = visit(clf.report(rows, labels).html)
    page.locator("#tab-row").click()
    size, colour, moves = (page.locator(f".fields [data-feature='{j}']") for j in range(3))
    for cells in (
        [None, "red", True],
        [5.5, None, False],
        [2.0, "another", None],
        [4, "white", True],
    ):
        size.fill("" if cells[0] is None else str(cells[0]))
        colour.select_option(label=cells[1] or "missing")
        moves.select_option(label="missing" if cells[2] is None else str(cells[2]).lower())
        (expected,) = clf.predict(pd.DataFrame([cells], columns=rows.columns, dtype=object))
        assert clf.classes_[predicted(page)] == expected
        changes = page.locator(".try")
        for i in range(changes.count()):
            label = int(changes.nth(i).get_attribute("data-label"))
            before = [field.input_value() for field in (size, colour, moves)]
            changes.nth(i).click()
            assert predicted(page) == label
            size.fill(before[0])
            colour.select_option(before[1])
            moves.select_option(before[2])


def test_wrong_rows_are_counted_and_stepped_through(visit, deep):
    """The button beside the accuracy opens the first one; the filter says how many there are."""
    page = open_report(visit, deep)
    wrong = np.flatnonzero(deep.clf.predict(deep.X) != deep.y) + 1
    assert page.locator("#step-wrong").inner_text() == f"Step through the {len(wrong)} wrong rows"
    page.locator("#step-wrong").click()
    assert page.locator("#row-number").input_value() == str(wrong[0])
    assert f"wrong rows ({len(wrong)})" in page.locator("#row-filter").inner_text()
    page.locator("#row-on").click()
    assert page.locator("#row-number").input_value() == str(wrong[1])


def test_several_values_change_at_once_and_go_back(visit, iris):
    """Fields and sliders change one row together; the page says what differs from the table."""
    page = open_report(visit, iris)
    page.locator("#tab-row").click()
    choose(page, 60)
    row = iris.X[60].copy()
    row[2], row[3] = 6.5, 2.25
    page.locator("#field-2").fill("6.5")
    page.locator("#field-3 + input[type='range']").fill("2.25")
    assert page.locator("#field-3").input_value() == "2.25"
    assert iris.clf.classes_[predicted(page)] == iris.clf.predict([row])[0]
    told = page.locator("#about-row").inner_text()
    assert "row 61 with petal length (cm) 3.5 → 6.5, petal width (cm) 1 → 2.25" in told
    page.locator("#row-reset").click()
    assert "Row 61 of 150" in page.locator("#about-row").inner_text()
    assert page.locator("#field-2").input_value() == "3.5"
    assert page.locator("#row-reset").is_hidden()


@pytest.fixture(scope="module")
def whole():
    """Return a tree on whole numbers, and its rows."""
    rng = np.random.default_rng(2)
    X = rng.integers(0, 12, size=(120, 3)).astype(float)
    y = (X @ [1.0, -2.0, 0.7] > 2).astype(int) + (X[:, 2] > 8)
    return MOCTSVMClassifier(2, c1=10.0, max_iter=2).fit(X, y), X, y


def test_whole_numbers_change_in_whole_steps(visit, whole):
    """The smallest whole change, found again by trying one whole number after the other."""
    clf, X, y = whole
    page = visit(clf.report(X, y).html)
    page.locator("#tab-row").click()
    assert page.locator("#field-0").get_attribute("step") == "1"
    n_changes = 0
    for row in range(0, 120, 10):
        choose(page, row)
        (now,) = clf.predict(X[[row]])
        found = changes_shown(page)
        for feature in range(3):
            steps = np.array([k for size in range(1, 60) for k in (size, -size)], dtype=float)
            labels = clf.predict(with_values(X[row], feature, X[row, feature] + steps))
            changed = steps[labels != now]
            assert (feature in found) == (len(changed) > 0)
            if feature in found:
                assert abs(found[feature]["to"] - X[row, feature]) == abs(changed[0])
                n_changes += 1
    assert n_changes > 10


def test_columns_are_searched_where_there_are_many(visit):
    """The most influential columns first, others by their names; all of them count."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 40))
    y = np.where(X[:, 7] + X[:, 33] > 0, "up", "down")
    names = [f"sensor {j:02d}" for j in range(40)]
    clf = MOCTSVMClassifier(1, c1=10.0, max_iter=1).fit(X, y)
    page = visit(clf.report(X, y, names).html)
    page.locator("#tab-row").click()
    fields = page.locator(".fields label")
    assert fields.count() == 30
    order = clf.tree_.by_influence(1)
    assert fields.all_inner_texts() == [names[j] for j in order[:30]]
    page.locator("#field-search").fill("SENSOR 3")
    assert "10 of 10 columns with these letters" in page.locator("#field-note").inner_text()
    last = int([j for j in order if j >= 30][-1])
    page.locator(f"#field-{last}").fill("99")
    changed = X[0].copy()
    changed[last] = 99
    assert clf.classes_[predicted(page)] == clf.predict([changed])[0]


def test_a_large_tree_is_folded_and_unfolded(visit, deep):
    """By button, by the mark in a split and by keyboard; the way of a row unfolds itself."""
    page = open_report(visit, deep)
    nodes = page.locator(".node")
    n_all = nodes.count()
    assert n_all > 13
    page.locator("#fold-all").click()
    n_folded = nodes.count()
    assert n_folded < n_all
    assert page.locator(".node[aria-expanded='false']").count() > 0
    page.locator("#tab-row").click()
    path = deep.clf.decision_path(deep.X[[0]])
    choose(page, 0)
    leaf = int(path.indices[-1]) + 1
    assert deep.clf.tree_.first_stop(leaf) in nodes_on_path(page)
    page.locator("#fold-all").click()
    while nodes.count() < n_all:
        page.locator("#fold-all").click()
    page.locator(".node[data-node='3'] .fold").click()
    assert nodes.count() < n_all
    assert focused(page) == "node 3"
    page.keyboard.press("+")
    assert nodes.count() == n_all


def test_what_the_other_terms_can_add_is_said(visit):
    """The sum of their influences: no row of the training box moves further."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 12))
    clf = MOCTSVMClassifier(1, c1=10.0, max_iter=1).fit(X, X[:, 0] + X[:, 1] > 0)
    page = visit(clf.report(X, X[:, 0] + X[:, 1] > 0).html)
    told = page.locator("#panel-node summary").inner_text()
    rest = clf.tree_.by_influence(1)[8:]
    reach = np.abs(clf.tree_.weights[0, rest]).sum()
    assert told.startswith("4 more terms, which move the sum by at most")
    assert shown_numbers([told.split("at most ")[1].split(" ")[0]]) == pytest.approx(
        reach, rel=1e-3
    )


def test_counts_say_what_they_count(visit, iris):
    """Rows of the report and rows of training never stand side by side without a word."""
    page = open_report(visit, iris)
    assert "of the 150 rows of this report" in page.locator("#counts").inner_text()
    text = page.locator("#panel-node").inner_text()
    assert "150 of 150 rows (100%). In training: 50 of 50 rows." in text
    assert re.search("rows of this report here", text, re.IGNORECASE)


def test_numbers_are_written_one_way(visit, iris):
    """Groups of three digits, a real minus sign, no minus zero."""
    page = open_report(visit, iris)
    written = page.evaluate("[1065, 2000, -1234.5, -0, 1e-7, 123456].map(number)")
    assert written == ["1,065", "2,000", "−1,235", "0", "1.00e−7", "123,500"]
    assert page.evaluate("[1065.25, -0.5, 12345678].map(exactNumber)") == [
        "1,065.25",
        "−0.5",
        "12,345,678",
    ]
    assert page.evaluate("[0.0352, 12.345].map(duration)") == ["0.04 s", "12.35 s"]
