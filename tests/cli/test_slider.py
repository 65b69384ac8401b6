"""The command that writes a page with a slider between trees of fewer and fewer features."""

import json
import re

import numpy as np
import pytest
from sklearn.datasets import load_iris
from typer.testing import CliRunner

from margintree.cli import app
from margintree.show.report._content import LEARNT_FROM


@pytest.fixture(scope="module")
def done(tmp_path_factory):
    """Return what the command said, and the data of its page."""
    folder = tmp_path_factory.mktemp("slider")
    iris = load_iris()
    lines = ["length,width,petal length,petal width,species"]
    for row, label in zip(iris.data[::3], iris.target[::3], strict=True):
        lines.append(",".join([*map(str, row), iris.target_names[label]]))
    (folder / "iris.csv").write_text("\n".join(lines))
    options = ["--max-depth", "2", "--c1", "100", "--points", "10", "--seed", "3"]
    given = [folder / "iris.csv", "-t", "species", "-o", folder / "p.html", *options]
    said = CliRunner().invoke(app, ["slider", *map(str, given)])
    assert said.exit_code == 0, said.output
    html = (folder / "p.html").read_text(encoding="utf-8")
    return said.stdout, json.loads(re.search(r'id="data">(.*?)</script>', html, re.DOTALL)[1])


def test_the_page_has_all_trees(done):
    """From all features to one; each within its budget, one of them first."""
    _, page = done
    names = [tree["name"] for tree in page["path"]["trees"]]
    assert names[0] == "all features"
    assert names[-1] == "1 feature per split"
    assert len(names) == 4  # five features are more than there are
    for k, (most, tree) in enumerate(zip((4, 3, 2, 1), page["path"]["trees"], strict=True)):
        own = page if k == page["path"]["shown"] else tree
        weights = np.array(own["tree"]["weights"])
        assert (weights != 0).sum(axis=1).max() <= most
        assert tree["coefficients"] == (weights != 0).sum()
        assert sum(map(sum, own["evaluation"]["confusion"])) == 50


def test_rows_are_in_the_page_once(done):
    """All trees share the rows to choose from."""
    _, page = done
    assert len(page["evaluation"]["rows"]["numbers"]) == 50
    others = [tree["evaluation"] for tree in page["path"]["trees"] if "evaluation" in tree]
    assert len(others) == 3
    assert not any("rows" in evaluation for evaluation in others)


def test_sizes_and_scores_are_printed(done):
    """A line for every tree, with the score on rows left out and its standard error."""
    said, page = done
    for tree in page["path"]["trees"]:
        (line,) = [line for line in said.splitlines() if line.strip().startswith(tree["name"])]
        sizes = (str(tree[name]) for name in ("coefficients", "features"))
        score = f"{tree['score']:.1%} ± {tree['error']:.1%}"
        assert re.split(r"  +", line.strip()) == [tree["name"], *sizes, score]
    assert "move the slider" in said
    assert page["evaluation"]["remark"] == LEARNT_FROM


def test_a_table_without_features_is_refused(tmp_path):
    """With the same words as those of 'fit'."""
    (tmp_path / "t.csv").write_text("class\na\nb\n")
    given = ["slider", str(tmp_path / "t.csv"), "-t", "class", "-o", str(tmp_path / "p.html")]
    said = CliRunner().invoke(app, given)
    assert said.exit_code == 2
    assert "must have a feature column" in said.output
