"""The page of a tree with quadratic splits, in a real browser: term by term, and its changes."""

import numpy as np
import pytest
from sklearn.datasets import load_wine

from margintree import ClassTreeClassifier, InvalidInputError
from margintree.show.export.named_tree import named

NAMES = ["alcohol", "hue", "flavanoids"]


@pytest.fixture(scope="module")
def wine():
    """Return a curved class tree of three columns of wine, and the rows."""
    data = load_wine(as_frame=True)
    X, y = data.data[NAMES], data.target_names[data.target]
    return ClassTreeClassifier(C=100.0, space="quadratic").fit(X, y), X, y


@pytest.fixture
def page(visit, wine):
    model, X, y = wine
    return visit(model.report(X, y).html)


def choose(page, row):
    page.locator("#row-number").fill(str(row + 1))
    page.locator("#row-number").press("Enter")


def shown_numbers(texts):
    return np.array([float(text.replace("−", "-").replace(",", "")) for text in texts])


def test_a_split_is_shown_term_by_term(page, wine):
    """Names of columns and products, and the coefficients of the printed rules."""
    known = named(wine[0])
    raw = known.tree.in_original_units()
    panel = page.locator("#panel-node")
    for node in map(int, np.flatnonzero(known.tree.splits) + 1):
        page.locator(f".node[data-node='{node}']").click()
        if panel.locator("summary").count():
            panel.locator("summary").first.click()
        order = known.tree.by_influence(node)
        names = panel.locator(".terms tbody th").all_inner_texts()
        assert names == [known.features[j] for j in order]
        assert {"alcohol squared", "alcohol x hue"} <= {*names}
        shown = shown_numbers(panel.locator(".terms tbody .figure").all_inner_texts())
        np.testing.assert_allclose(shown, raw.weights[node - 1, order], rtol=5e-3)


def test_every_row_goes_where_predict_sends_it(page, wine):
    """And the terms of a step add up to its sum."""
    model, X, _ = wine
    page.locator("#tab-row").click()
    paths = model.decision_path(X).toarray()
    for row in range(0, len(X), 9):
        choose(page, row)
        predicted = int(page.locator("#verdict").get_attribute("data-class"))
        assert model.classes_[predicted] == model.predict(X.iloc[[row]])[0]
        on_path = page.locator(".node.on-path").evaluate_all(
            "nodes => nodes.map(n => Number(n.dataset.node))"
        )
        assert {*on_path} == {
            model.tree_.first_stop(node + 1) for node in np.flatnonzero(paths[row])
        }
    step = page.locator(".step").first
    step.locator("summary").click()
    amounts = shown_numbers(step.locator(".terms tbody td:nth-child(4)").all_inner_texts())
    assert len(amounts) == 9
    known = named(model).tree
    root = known.first_stop(1)
    first, second = np.triu_indices(3)
    x = X.iloc[row].to_numpy()
    expected = known.in_original_units().weights[root - 1] * np.append(x, x[first] * x[second])
    np.testing.assert_allclose(np.sort(amounts), np.sort(expected), rtol=2e-3)


def test_the_smallest_change_is_one_and_the_smallest(page, wine):
    """Along one column splits are parabolas; the first crossing that changes the class is found."""
    model, X, _ = wine
    page.locator("#tab-row").click()
    spans, n_changes = model.tree_.scaling.span, 0
    for row in (0, 20, 60, 75, 100, 140, 170):
        choose(page, row)
        x = X.iloc[row].to_numpy()
        (now,) = model.predict(X.iloc[[row]])
        buttons = page.locator(".try").evaluate_all("buttons => buttons.map(b => ({...b.dataset}))")
        found = {int(b["feature"]): {k: float(v) for k, v in b.items()} for b in buttons}
        for j, span in enumerate(spans):

            def classes(values, j=j, x=x):
                rows = np.tile(x, (len(values), 1))
                rows[:, j] = values
                return model._fitted_tree().predict(model.tree_.scaling.apply(rows))

            if j not in found:
                near = classes(x[j] + span * np.linspace(-30, 30, 4001))
                assert (model.classes_[near] == now).all()
                continue
            change, n_changes = found[j], n_changes + 1
            distance = change["crossing"] - x[j]
            after = classes([x[j] + distance * (1 + 1e-9), change["to"]])
            assert after.tolist() == [change["label"]] * 2
            assert model.classes_[int(change["label"])] != now
            closer = classes(x[j] + distance * (1 - 1e-9) * np.linspace(-1, 1, 2001))
            assert (model.classes_[closer] == now).all()
    assert n_changes > 8


def test_a_notebook_shows_a_curved_tree(wine):
    """As the page; a tree of a kernel shows its parameters, and its report says why."""
    model, X, y = wine
    assert "iframe" in model._repr_html_()
    radial = ClassTreeClassifier(C=10.0, space="rbf").fit(X, y)
    assert "iframe" not in radial._repr_html_()
    with pytest.raises(InvalidInputError, match="likeness to training rows"):
        radial.report(X, y)
