"""What a report says is what the classifier does, counted over all rows."""

import base64
import hashlib
import json
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import config_context
from sklearn.exceptions import NotFittedError
from sklearn.metrics import confusion_matrix

from margintree import (
    CARTClassifier,
    InvalidInputError,
    MOCTSVMClassifier,
    TreeClassifierCV,
    from_json,
    to_json,
)
from margintree.show.page import embedded
from margintree.show.report._content import LEARNT_FROM, histogram, remark_on

HOSTILE = "</script><img src=x onerror=alert(1)>"


def content(report):
    """Return the data inside a page."""
    return json.loads(re.search(r'id="data">(.*?)</script>', report.html, re.DOTALL)[1])


def test_counts_are_those_of_the_classifier(deep):
    """Confusion and arrivals, compared with scikit-learn and with decision_path."""
    clf, X, y, names = deep
    evaluation = content(clf.report(X, y, names))["evaluation"]
    assert evaluation["n_rows"] == len(X)
    assert evaluation["confusion"] == confusion_matrix(y, clf.predict(X)).tolist()
    visited = clf.decision_path(X).toarray().astype(bool)
    for node, counts in evaluation["arrivals"].items():
        rows = visited[:, int(node) - 1]
        assert counts == [int((rows & (y == label)).sum()) for label in clf.classes_]
    splits = {str(t + 1) for t in np.flatnonzero(clf.tree_.splits)}
    assert {*evaluation["histograms"]} == splits


def test_training_rows_are_known_again(iris):
    """By their numbers in the leaves; other rows, and rows with other labels, are not."""
    clf, X, y, names = iris
    X, y = X[::3], y[::3]  # those that it was fitted to
    for rows, labels in ((X, y), (X[::-1], y[::-1])):
        assert content(clf.report(rows, labels, names))["evaluation"]["remark"] == LEARNT_FROM
        assert remark_on(clf, rows, labels) == LEARNT_FROM
    for rows, labels in ((X[1:], y[1:]), (X, ["new", *y[1:]]), (X[:0], y[:0])):
        assert remark_on(clf, rows, labels) == ""
    assert content(clf.report(X[1:], y[1:], names))["evaluation"]["remark"] == ""


def test_what_the_fit_cost_and_proved_is_told(iris):
    """The numbers of the result, in a form that JSON can hold."""
    clf, X, y, names = iris
    fit = content(clf.report(X, y, names))["fit"]
    assert fit["total"] == clf.objective_
    assert sum(fit["cost"][term] for term in ("margin", "errors", "violations", "splits")) == (
        pytest.approx(clf.objective_)
    )
    assert (fit["bound"], fit["gap"], fit["optimal"]) == (clf.bound_, clf.gap_, clf.optimal_)
    assert len(fit["trace"]) == len(clf.result_.trace)


@pytest.mark.parametrize("norm", ["l2", "l1", "linf"])
def test_the_norm_of_the_margin_term_is_told(norm, iris):
    """By a classifier, a choice of parameters, and a model that comes from a file."""
    given = MOCTSVMClassifier(max_depth=2, norm=norm, max_iter=1)
    fixed = given.fit(iris.X[::3], iris.y[::3])
    chosen = TreeClassifierCV(given, {"max_depth": 2, "c1": 1.0, "c2": 1.0, "c3": 1.0}, cv=2)
    chosen.fit(iris.X[::3], iris.y[::3])
    for model in (fixed, chosen, from_json(to_json(fixed)), from_json(to_json(chosen))):
        assert content(model.report(iris.X, iris.y))["fit"]["norm"] == norm


def test_a_method_without_norms_has_none(iris):
    """The page says nothing of a norm then."""
    model = CARTClassifier(max_depth=2).fit(iris.X, iris.y)
    assert content(model.report(iris.X, iris.y))["fit"]["norm"] is None


@given(
    st.lists(st.tuples(st.floats(-1e6, 1e6), st.integers(0, 3)), max_size=30),
)
def test_every_row_has_its_place_in_the_histogram(pairs):
    """A slow twin counts bin by bin; the margin is always inside."""
    values = np.array([value for value, _ in pairs], dtype=float)
    codes = np.array([code for _, code in pairs], dtype=int)
    bins = histogram(values, codes)
    first, width = bins["first"], bins["width"]
    assert first <= -1
    assert {code for code, _ in bins["counts"]} == {*codes.tolist()}
    for code, counts in bins["counts"]:
        assert len(counts) <= 42
        assert first + len(counts) * width >= 1
        assert sum(counts) == (codes == code).sum()
        own = values[codes == code]
        slack = 1e-9 * max(1.0, abs(first))
        for i, n in enumerate(counts):
            least, most = first + i * width, first + (i + 1) * width
            surely = ((own > least + slack) & (own < most - slack)).sum()
            perhaps = ((own > least - slack) & (own < most + slack)).sum()
            assert surely <= n <= perhaps


def test_labels_that_the_model_does_not_know_are_misclassified(iris):
    """They get classes of their own, after those of the model."""
    clf, X, _, names = iris
    data = content(clf.report(X[:3], ["setosa", "rose", "rose"], names))
    assert data["classes"] == ["setosa", "versicolor", "virginica", "rose"]
    assert data["evaluation"]["rows"]["labels"] == [0, 3, 3]
    assert data["evaluation"]["confusion"][3] == [2, 0, 0, 0]


def test_labels_of_another_type_are_known_by_their_text(deep):
    """A table read from a file has integers where the model may have text, and the other way."""
    clf, X, y, _ = deep
    given = [content(clf.report(X, y.astype(kind)))["evaluation"] for kind in (int, str, float)]
    assert given[0] == given[1] == given[2]


@given(st.recursive(st.text() | st.just(HOSTILE), st.lists))
def test_data_cannot_end_the_element_that_holds_them(data):
    """No letter that means something to HTML is left, and the data are the same when read."""
    text = embedded(data)
    assert not re.search("[<>&\u2028\u2029]", text)
    assert json.loads(text) == data


def test_only_the_page_itself_may_run(iris):
    """The policy names the fingerprints of the very style and script, and nothing else."""
    html = iris.clf.report(iris.X, iris.y).html
    policy = re.search(r'Content-Security-Policy" content="(.*?)"', html)[1]
    assert policy.startswith("default-src 'none';")
    for name, tag in (("style", "style"), ("script", "script")):
        (code,) = re.findall(rf"<{tag}>(.*?)</{tag}>", html, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(code.encode()).digest()).decode()
        assert f"{name}-src 'sha256-{digest}';" in policy


def test_no_markup_is_ever_made_of_text(iris):
    """The script has no way to turn text from the data into markup or code."""
    script = re.findall(r"<script>(.*?)</script>", iris.clf.report(iris.X, iris.y).html, re.DOTALL)
    assert not re.search(r"innerHTML|outerHTML|insertAdjacent|document\.write|eval\(", script[0])


@pytest.mark.parametrize("decimals", [0, 17])
def test_a_report_on_many_rows_is_a_small_file(decimals, tmp_path):
    """10,000 rows of 54 features stay under 2 MB; scores are over all rows."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(10_000, 54)).round(decimals) * 100
    y = rng.integers(7, size=10_000)
    clf = MOCTSVMClassifier(max_depth=3, time_limit=0).fit(X[:500], y[:500])
    report = clf.report(X, y)
    report.save(tmp_path / "report.html")
    assert (tmp_path / "report.html").stat().st_size < 2_000_000
    evaluation = content(report)["evaluation"]
    assert np.sum(evaluation["confusion"]) == 10_000
    rows = evaluation["rows"]
    assert 100 <= len(rows["numbers"]) <= 10_000
    np.testing.assert_array_equal(X[rows["numbers"]], rows["values"])
    np.testing.assert_array_equal(y[rows["numbers"]], rows["labels"])


def test_saving_replaces_a_file_as_a_whole(iris, tmp_path):
    """The file holds the page, and nothing else is left behind."""
    report = iris.clf.report(iris.X, iris.y)
    for _ in range(2):
        report.save(tmp_path / "r.html")
    assert [path.name for path in tmp_path.iterdir()] == ["r.html"]
    assert (tmp_path / "r.html").read_text(encoding="utf-8") == report.html
    assert "report.html" in repr(report)


def test_wrong_input_is_refused(iris):
    """Not fitted, other numbers of features, labels or names."""
    clf, X, y, _ = iris
    with pytest.raises(NotFittedError):
        MOCTSVMClassifier().report(X, y)
    with pytest.raises(ValueError, match="features"):
        clf.report(X[:, :2], y)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        clf.report(X, y[:-1])
    with pytest.raises(InvalidInputError, match="4 names of features; 1 were given"):
        clf.report(X, y, feature_names=["a"])


def test_notebooks_show_a_fitted_classifier_as_its_tree(iris):
    """An isolated frame; before the fit, and where text is asked for, as scikit-learn does."""
    bundle = iris.clf._repr_mimebundle_()
    assert bundle["text/html"] == iris.clf._repr_html_()
    assert bundle["text/html"].startswith("<iframe")
    assert 'sandbox="allow-scripts"' in bundle["text/html"]
    assert bundle["text/plain"] == repr(iris.clf)
    assert "<iframe" not in MOCTSVMClassifier()._repr_html_()
    assert "<iframe" not in MOCTSVMClassifier()._repr_mimebundle_()["text/html"]
    with config_context(display="text"):
        assert not hasattr(iris.clf, "_repr_html_")
        assert "text/html" not in iris.clf._repr_mimebundle_()


def test_notebooks_show_reports(iris):
    """As a frame. A bare tree has no picture: it does not know its classes or what it cost."""
    assert iris.clf.report(iris.X, iris.y)._repr_html_().startswith("<iframe")
    assert not hasattr(iris.clf.tree_, "_repr_html_")
