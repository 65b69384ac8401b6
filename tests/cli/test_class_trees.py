"""Model files of class trees on the command line, with straight and with curved splits."""

import pandas as pd
import pytest
from sklearn.datasets import load_wine
from typer.testing import CliRunner

from margintree import ClassTreeClassifier, make_table_classifier, save
from margintree.cli import app


def run(*arguments):
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


@pytest.fixture(scope="module", params=["box", "quadratic"])
def files(request, tmp_path_factory):
    """Return the space, a model file and the table that it was fitted to."""
    folder, wine = tmp_path_factory.mktemp("class_trees"), load_wine(as_frame=True)
    table = wine.data[["alcohol", "hue"]].assign(kind=wine.target_names[wine.target])
    table.to_csv(folder / "wine.csv", index=False)
    classifier = ClassTreeClassifier(C=10.0, space=request.param)
    model = make_table_classifier(classifier).fit(table[["alcohol", "hue"]], table["kind"])
    save(model, folder / "model.json")
    return request.param, folder / "model.json", folder / "wine.csv"


def test_a_class_tree_is_shown_with_its_cost(files):
    """Its rules, its terms and the number of its splits."""
    space, model, _ = files
    shown = run("show", model)
    assert shown.exit_code == 0, shown.output
    assert ("alcohol x hue" in shown.output) == (space == "quadratic")
    for words in ("violations", "margins", "(2 splits)", "proved optimal"):
        assert words in shown.output


def test_a_class_tree_predicts(files):
    """One label for each row of a table."""
    _, model, table = files
    predicted = run("predict", model, table)
    assert predicted.exit_code == 0, predicted.output
    assert len(predicted.output.split()) == 1 + len(pd.read_csv(table))
    assert run("evaluate", model, table, "-t", "kind").exit_code == 0


def test_a_report_shows_straight_and_curved_splits(files, tmp_path):
    """The page of curved ones has the products."""
    space, model, table = files
    done = run("report", model, table, "-t", "kind", "-o", tmp_path / "report.html")
    assert done.exit_code == 0, done.output
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert ("alcohol x hue" in page) == (space == "quadratic")
