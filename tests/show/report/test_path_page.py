"""The slider of a report switches between the trees of a path, and the whole page with it."""

import re
from typing import NamedTuple

import numpy as np
import pytest
from sklearn.datasets import load_wine

from layout import faults
from margintree import MOCTSVMClassifier, MOCTSVMClassifierCV, make_table_classifier
from margintree.show.report import report_on

BUDGETS = [1, 3, None]


class Path(NamedTuple):
    """A choice over budgets with rows that it has not seen."""

    clf: MOCTSVMClassifierCV
    X: np.ndarray
    y: np.ndarray
    names: list[str]

    def page(self):
        """Return the page of its report."""
        return self.clf.report(self.X, self.y, self.names).html


def chooser(budgets=tuple(BUDGETS), **params):
    """Return a quick choice over budgets of features."""
    plain = MOCTSVMClassifier(2, c1=100.0, c3=10.0, max_iter=5, **params)
    candidates = [{"max_features_per_split": most} for most in budgets]
    return MOCTSVMClassifierCV(plain, candidates, cv=2, path_iter=2, last_fit="path")


@pytest.fixture(scope="module")
def path():
    """Return a choice on half of wine, with the other half."""
    wine = load_wine()
    y = wine.target_names[wine.target].astype(str)
    clf = chooser().fit(wine.data[::2], y[::2])
    return Path(clf, wine.data[1::2], y[1::2], list(wine.feature_names))


def turn(page, k):
    """Move the slider with the keyboard, as a person does."""
    slider = page.locator("#stop")
    slider.press("Home")
    for _ in range(k):
        slider.press("ArrowRight")


def questions(page):
    """Return what the boxes of the splits say, in the order of their numbers."""
    boxes = page.locator(".node.split").evaluate_all(
        "nodes => nodes.map(n => [Number(n.dataset.node), n.getAttribute('aria-label')])"
    )
    return [text for _, text in sorted(boxes)]


def test_the_page_opens_with_the_chosen_tree(visit, path):
    """The slider stands there, and the page is that of a report without a path."""
    page = visit(path.page())
    shown = int(page.locator("#stop").input_value())
    assert path.clf.stops_[shown].model.result_ is path.clf.result_
    best = path.clf.best_estimator_
    alone = visit(best.report(path.X, path.y, path.names).html)
    assert questions(page) == questions(alone)
    for part in ("#quality", "#fit", "#summary"):
        assert page.locator(part).inner_text() == alone.locator(part).inner_text()
    assert alone.locator("#path").is_hidden()


def test_every_place_of_the_slider_shows_a_tree_whole(visit, path):
    """Picture, details, scores, cost and summary are those of this tree's own report."""
    page = visit(path.page())
    assert len(path.clf.stops_) == len(BUDGETS)
    for k, stop in enumerate(path.clf.stops_):
        turn(page, k)
        alone = visit(stop.model.report(path.X, path.y, path.names).html)
        assert questions(page) == questions(alone)
        for part in ("#summary", "#quality", "#fit", "#panel-node"):
            assert page.locator(part).inner_text() == alone.locator(part).inner_text()
        assert page.locator("#stop-name").inner_text() == stop.name
        assert page.locator("#stop").get_attribute("aria-valuetext") == stop.name
        assert page.locator(".node").count() == 2 * stop.model.tree_.n_splits + 1


def test_the_slider_tells_sizes_and_scores(visit, path):
    """From many features to few; the table has the same numbers for all trees."""
    page = visit(path.page())
    page.locator("#path summary").click()
    lines = page.locator("#stops tbody tr").all_inner_texts()
    for k, stop in enumerate(path.clf.stops_):
        turn(page, k)
        told = page.locator("#stop-scores").inner_text()
        tree = stop.model.tree_
        score = f"{100 * stop.score:.1f}% ± {100 * stop.error:.1f}%"
        accuracy = f"{100 * stop.model.score(path.X, path.y):.1f}%"
        assert told.startswith(f"{tree.n_splits} split")
        assert f"{tree.n_coefficients} coefficient" in told
        assert f"report: {accuracy}" in told
        assert told.endswith(f"left out: {score}.")
        name, *figures = re.split(r"\s*\t\s*", lines[k])
        assert name == stop.name
        used = np.count_nonzero(stop.model.feature_importances_)
        sizes = [tree.n_splits, tree.n_coefficients, used]
        assert figures == [*map(str, sizes), accuracy, score]
        (current,) = page.locator("#stops [aria-current='true']").all_inner_texts()
        assert current == lines[k]


def test_a_followed_row_is_followed_in_the_next_tree(visit, path):
    """With its own values too; wrong rows are counted anew, and the open tab stays."""
    page = visit(path.page())
    page.locator("#tab-row").click()
    page.locator("#row-number").fill("7")
    page.locator("#row-number").press("Enter")
    for k, stop in enumerate(path.clf.stops_):
        turn(page, k)
        assert page.locator("#panel-row").is_visible()
        guesses = stop.model.predict(path.X)
        code = int(page.locator("#verdict").get_attribute("data-class"))
        assert path.clf.classes_[code] == guesses[6]
        wrong = int((guesses != path.y).sum())
        assert f"wrong rows ({wrong})" in page.locator("#row-filter").inner_text()
        on_path = page.locator(".node.on-path").count()
        assert on_path == page.locator(".step").count() + 1
    page.locator(".fields input[type='number']").first.fill("99")
    own = path.X[[6]].copy()
    own[0, 0] = 99.0
    for k, stop in enumerate(path.clf.stops_):
        turn(page, k)
        code = int(page.locator("#verdict").get_attribute("data-class"))
        assert path.clf.classes_[code] == stop.model.predict(own)[0]


@pytest.mark.parametrize("width", [360, 1280])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_overlaps_anywhere_on_the_path(visit, path, width, scheme):
    """At every place of the slider, with the table open and closed."""
    page = visit(path.page(), width=width, color_scheme=scheme)
    for k in range(len(BUDGETS)):
        turn(page, k)
        page.locator("#path summary").click()
        assert faults(page) == []
        assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_scores_may_be_no_shares_or_unknown(visit, path):
    """They are written as numbers, and where a choice was stopped early as unknown."""
    losses = (-0.51, -0.52, np.nan)
    stops = [
        stop._replace(score=score, error=0.25)
        for stop, score in zip(path.clf.stops_, losses, strict=True)
    ]
    page = visit(report_on(path.clf, path.X, path.y.tolist(), stops=stops).html)
    for k, told in enumerate(("−0.51 ± 0.25", "−0.52 ± 0.25", "unknown")):
        turn(page, k)
        assert page.locator("#stop-scores").inner_text().endswith(f"left out: {told}.")


def test_columns_are_ordered_by_the_tree_that_is_shown(visit):
    """Where there are many; what one searches for stays."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 40))
    y = np.where(X[:, 7] + X[:, 31] + 0.3 * X[:, 2] > 0, "yes", "no")
    clf = chooser([1, 2]).fit(X, y)
    page = visit(clf.report(X, y).html)
    page.locator("#tab-row").click()
    for k, stop in enumerate(clf.stops_):
        turn(page, k)
        first = page.locator(".fields label").first.inner_text()
        tree = stop.model.tree_
        most = np.abs(tree.weights).max(axis=0)
        assert first == f"x{int(np.argmax(most))}"


def test_tables_have_the_slider_too(visit):
    """Columns of text are typed as they are, whatever tree is shown."""
    colours = np.array(["red", "blue", "green"])[np.arange(60) % 3]
    sizes = np.arange(60.0) % 7
    rows = np.array([colours, sizes], dtype=object).T
    labels = np.where((colours == "red") & (sizes > 2), "in", "out")
    clf = make_table_classifier(chooser([1, None])).fit(rows, labels)
    page = visit(clf.report(rows, labels).html)
    page.locator("#tab-row").click()
    for k, stop in enumerate(clf[-1].stops_):
        turn(page, k)
        code = int(page.locator("#verdict").get_attribute("data-class"))
        encoded = clf[0].transform(rows[:1])
        assert clf.classes_[code] == stop.model.predict(encoded)[0]


def test_a_path_prints_its_shown_tree_alone(visit, path):
    """The name of the tree is printed, and nothing that one could only move."""
    page = visit(path.page())
    turn(page, 2)
    page.emulate_media(media="print")
    assert page.locator("#stop-name").is_visible()
    assert page.locator("#stop").is_hidden()
    assert page.locator("#path summary").is_hidden()
    assert page.locator("#rules li").count() == path.clf.stops_[2].model.tree_.n_splits
