"""``margintree verify``: a certificate of a fit by the command, checked by the command."""

import csv

import numpy as np
import pytest
from sklearn.datasets import load_iris
from typer.testing import CliRunner

from margintree.cli import app


def run(*arguments):
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def write(path, rows):
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([["a", "b", "colour", "kind"], *rows])


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Return a folder with a table, a model and a certificate of its bound."""
    folder = tmp_path_factory.mktemp("verify")
    iris = load_iris()
    rows = [
        [x[2], x[3], "red" if x[0] > 5.8 else "blue", f"kind {y}"]
        for x, y in zip(iris.data[::6], iris.target[::6], strict=True)
    ]
    write(folder / "t.csv", rows)
    write(folder / "other.csv", rows[1:])
    done = run(
        *("fit", folder / "t.csv", "-t", "kind", "--fixed", "--method", "exact"),
        *("--certificate", folder / "c.npz", "-o", folder / "m.json"),
    )
    assert done.exit_code == 0, done.output
    return folder


def test_the_certificate_of_a_fit_is_verified(folder):
    """Text columns and scaling are those of the model."""
    done = run("verify", folder / "m.json", folder / "c.npz", folder / "t.csv")
    assert done.exit_code == 0, done.output
    assert "Verified: no tree costs less than" in done.output


def test_a_certificate_of_a_whitened_space_is_verified(folder):
    """The model has the tree over columns, and the problem is posed in its space again."""
    fit = ("fit", folder / "t.csv", "-t", "kind", "--fixed", "--method", "exact")
    files = ("--certificate", folder / "w.npz", "-o", folder / "w.json")
    done = run(*fit, "--space", "whitened", "--max-depth", 2, *files)
    assert done.exit_code == 0, done.output
    done = run("verify", folder / "w.json", folder / "w.npz", folder / "t.csv")
    assert done.exit_code == 0, done.output
    assert "Verified: no tree costs less than" in done.output


@pytest.mark.parametrize("space", ["quadratic", "rbf"])
def test_the_command_fits_in_a_space(folder, space):
    """And prints the rules of a tree that has some."""
    fit = ("fit", folder / "t.csv", "-t", "kind", "--fixed", "--max-depth", 2, "--space", space)
    done = run(*fit, "-o", folder / "s.json")
    assert done.exit_code == 0, done.output
    shown = "a squared" if space == "quadratic" else "compare rows with training rows"
    assert shown in done.output
    assert run("predict", folder / "s.json", folder / "t.csv").exit_code == 0


def test_another_table_is_refused(folder):
    """With a row less, the certificate belongs to another problem."""
    done = run("verify", folder / "m.json", folder / "c.npz", folder / "other.csv")
    assert done.exit_code == 2
    assert "another problem" in done.output


def test_a_changed_certificate_is_refused(folder):
    """A bound that was raised by hand does not pass."""
    with np.load(folder / "c.npz") as file:
        content = dict(file)
    content["duals"][0] *= 1.5
    np.savez(folder / "forged.npz", **content)
    done = run("verify", folder / "m.json", folder / "forged.npz", folder / "t.csv")
    assert done.exit_code == 2
    assert "digest" in done.output


def test_a_choice_has_no_certificate(folder):
    """Chosen depth and costs are another problem in every fold."""
    done = run(
        *("fit", folder / "t.csv", "-t", "kind", "--method", "exact"),
        *("--certificate", folder / "d.npz", "-o", folder / "n.json"),
    )
    assert done.exit_code == 2
    assert "--certificate needs one problem" in done.output
