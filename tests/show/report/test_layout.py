"""Pages of every kind at every width: nothing overlaps, and nothing keeps anybody out."""

import os
import re
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_wine

from layout import faults
from margintree import MOCTSVMClassifier, ObliqueTree
from margintree.core.space import Space
from margintree.show.report import report_on
from models import fitted

AXE = Path(__file__).parents[2] / "node_modules" / "axe-core" / "axe.min.js"
WIDTHS = (360, 768, 1280, 1920)


def wine_page():
    """Return the page of a small tree on real columns."""
    wine = load_wine()
    labels = wine.target_names[wine.target].astype(str)
    clf = MOCTSVMClassifier(2, c1=10.0, max_iter=3).fit(wine.data[::5], labels[::5])
    return clf.report(wine.data, labels, list(wine.feature_names)).html


def wide_page(n_columns):
    """Return the page of a tree of many columns, some with long names."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, n_columns)) * 10.0 ** rng.integers(-3, 6, n_columns)
    y = np.array(["healthy", "carrier of the other kind", "ill"])[np.arange(60) % 3]
    names = [
        f"measurement_{j:04d}_of_the_left_sensor" if j % 3 else f"m{j}" for j in range(n_columns)
    ]
    clf = MOCTSVMClassifier(2, c1=10.0, max_iter=1).fit(X, y)
    return clf.report(X, y, names).html


def large_page():
    """Return the page of a tree of 31 splits."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1000, 6))
    minimum, span = X.min(axis=0), np.ptp(X, axis=0)
    weights = 3 * rng.normal(size=(31, 6))
    intercepts = rng.normal(size=31) - weights @ ((0 - minimum) / span)
    tree = ObliqueTree(
        weights,
        intercepts,
        np.ones(31, dtype=bool),
        np.arange(32) % 5,
        rng.integers(1, 30, size=(32, 5)).astype(float),
        Space(minimum, span),
    ).upright()
    names = [f"class {k}" for k in range(5)]
    labels = [names[k] for k in rng.integers(5, size=1000)]
    return report_on(fitted(tree, names, [f"feature {j}" for j in range(6)]), X, labels).html


PAGES = {
    "wine": wine_page,
    "sixty": lambda: wide_page(60),
    "wide": lambda: wide_page(2000),
    "large": large_page,
}


@pytest.fixture(scope="module", params=PAGES)
def html(request):
    """Return a page."""
    return PAGES[request.param]()


def views(page):
    """Open one part of the page after the other, and yield its name."""
    for tab in ("node", "row"):
        page.locator(f"#tab-{tab}").click()
        yield tab
        for summary in page.locator("summary:visible").all()[:2]:
            summary.click()
        yield f"{tab}, unfolded"


@pytest.mark.parametrize("width", WIDTHS)
def test_nothing_overlaps_or_leaves_its_place(visit, html, width):
    """Every box within its parent, beside its siblings; every text of the picture in its node."""
    page = visit(html, width=width)
    found = {view: faults(page) for view in views(page)}
    assert found == {key: [] for key in found}
    assert len(found) == 4


def test_details_stand_beside_the_tree(visit):
    """From the same height on, with and without the slider above both."""
    page = visit(wine_page())
    for hidden in (True, False):
        page.locator("#path").evaluate("(item, hidden) => { item.hidden = hidden; }", hidden)
        tree, details = (page.locator(name).bounding_box() for name in ("#picture", "#inspector"))
        assert details["y"] == pytest.approx(tree["y"], abs=1)
        assert details["x"] > tree["x"] + tree["width"]
    assert page.locator("#path").bounding_box()["y"] < tree["y"] - 10


def test_words_of_short_classes_and_thresholds_stay_whole(visit):
    """Beside a class with a long name, and below terms with long names."""
    page = visit(wide_page(2000))
    headings = page.locator(".confusion thead .tag")
    for name in ("healthy", "ill"):
        box = headings.filter(has_text=name).bounding_box()
        assert box["height"] < 2 * 14
    thresholds = page.locator(".node .threshold").all_text_contents()
    assert len(thresholds) == 2
    assert all(re.fullmatch(r"… 1,997 (more )?≥ −?[\d.]+ \?", text) for text in thresholds)


@pytest.mark.parametrize("first", [-1.5, -9.0, -40.0])
def test_numbers_below_a_histogram_do_not_meet(visit, first):
    """The least important ones give way; the 0 always stays."""
    page = visit(wine_page())
    n = int(2 * (3 - first))
    histogram = {"first": first, "width": 0.5, "counts": [[0, [1] * n]], "n": n}
    page.evaluate(
        "(given) => document.body.replaceChildren(histogramPicture(given, (v) => v.toFixed(3)))",
        histogram,
    )
    shown = page.locator("svg.chart .tick").all_text_contents()
    assert shown[0] == "0.000"
    assert (f"{first:.3f}" in shown) == (first < -2)
    assert ({"-1.000", "1.000"} <= {*shown}) == (first > -2)
    assert not [fault for fault in faults(page) if "overlaps" in fault]


def test_the_script_sees_what_overlaps(visit, html):
    """The check can fail: a box that is moved over its neighbour, and a text that is too long."""
    page = visit(html, bypass_csp=True)
    page.locator("#quality").evaluate("item => item.style.marginTop = '-80px'")
    assert any("overlaps" in fault for fault in faults(page))
    page.locator("#quality").evaluate("item => item.style.marginTop = ''")
    assert faults(page) == []
    page.locator(".node.leaf .label").first.evaluate("item => item.textContent = 'x'.repeat(200)")
    assert any("leaves its parent" in fault for fault in faults(page))


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_serious_barrier(visit, html, scheme):
    """No finding of axe-core beyond minor ones, in both tabs and both colour schemes."""
    if not AXE.exists():
        reason = "axe-core is missing; run 'npm install --prefix tests --no-package-lock'"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    page = visit(html, width=360, bypass_csp=True, color_scheme=scheme)
    page.evaluate(AXE.read_text(encoding="utf-8"))
    for tab in ("node", "row"):
        page.locator(f"#tab-{tab}").click()
        found = page.evaluate("axe.run().then(({ violations }) => violations)")
        assert [(v["id"], v["nodes"][0]["html"]) for v in found if v["impact"] != "minor"] == []


def test_a_page_prints_on_one_or_two_pages(visit, html):
    """The tree, its questions, scores and cost; nothing that one could only click."""
    page = visit(html)
    page.locator("#tab-row").click()
    pages = len(re.findall(rb"/Type\s*/Page\b", page.pdf(format="A4")))
    assert 1 <= pages <= 2
    page.emulate_media(media="print")
    assert page.locator("#inspector").is_hidden()
    assert page.locator("#rules li").count() == page.locator(".node.split").count()
    assert page.locator("#rules li").first.is_visible()
