"""Specifications: what they say, and what is refused."""

import re
from itertools import product
from pathlib import Path

import pytest

from margintree._lib.exceptions import InvalidInputError
from margintree.data.datasets import CATALOGUE
from margintree.study.jobs import jobs_of
from margintree.study.learners import learners
from margintree.study.spec import SPECS, parse_spec, read_spec

PAGE = Path(__file__).parents[2] / "docs" / "study.md"
IN_THE_PAPER = {*learners()}
"""The learners of the specifications."""
GOOD = """
data_sets = ["iris"]
[methods.cart]
grid.max_splits = [1, 2]
"""


@pytest.mark.parametrize("name", SPECS)
def test_the_specifications_of_the_package(name):
    """Each can be read, and has all methods; in quick ones the default choice takes too long."""
    spec = read_spec(name)
    assert spec.name == name
    slow = {"moctsvm-default"} if name in ("smoke", "quick") else set()
    assert {*spec.methods} == IN_THE_PAPER - slow


def test_the_wide_study(shared_data):
    """All sets of the paper and all tables of the data folder, with 70% of the rows each."""
    spec = read_spec("wide")
    tables = sorted(path.name for path in (shared_data / "tables").glob("*.csv"))
    assert spec.data_sets == (*CATALOGUE, *(name.removesuffix(".csv") for name in tables))
    assert sorted(spec.tables.values()) == [f"tables/{name}" for name in tables]
    assert (spec.train, spec.folds, spec.repetitions) == (0.7, 1, 5)
    assert len(jobs_of(spec)) == 30 * 5 * len(IN_THE_PAPER)


def test_a_path_is_a_data_set():
    """Its name is that of the file, without endings."""
    spec = parse_spec("tiny", GOOD.replace('"iris"', '"iris", "my/flowers.csv.gz"'))
    assert spec.data_sets == ("iris", "flowers")
    assert spec.tables == {"flowers": "my/flowers.csv.gz"}


def test_the_study_of_the_paper():
    """13 sets, 5 x 5 folds, depth 3, and the grids that the paper states."""
    spec = read_spec("paper")
    assert spec.data_sets == tuple(CATALOGUE)
    assert (spec.repetitions, spec.folds, spec.depth, spec.min_leaf) == (5, 5, 3, 0.05)
    tens = [10.0**k for k in range(-5, 6)]
    points = {tuple(point.values()) for point in spec.methods["moctsvm"].grid}
    assert points == {*product(tens, tens, tens[3:8])}
    assert [point["alpha"] for point in spec.methods["octh"].grid] == tens
    for method in ("cart", "oct"):
        assert [point["max_splits"] for point in spec.methods[method].grid] == [*range(1, 8)]
    assert len(jobs_of(spec)) == 13 * 25 * len(IN_THE_PAPER)


def test_defaults():
    """What is not said is as in the paper; all combinations take part in the choice."""
    spec = parse_spec("tiny", GOOD)
    assert (spec.folds, spec.repetitions, spec.nested.folds) == (5, 5, 5)
    assert spec.methods["cart"].nested_grid == spec.methods["cart"].grid
    assert spec.nested.times(75) == 3
    assert spec.nested.times(76) == 1


def test_points_of_the_nested_grid_one_by_one():
    """In their order."""
    spec = parse_spec("tiny", GOOD + "nested_grid = [{ max_splits = 2 }, { max_splits = 1 }]")
    assert spec.methods["cart"].nested_grid == spec.methods["cart"].grid[::-1]


BAD = {
    "no sets": (GOOD.replace('"iris"', ""), "data_sets must be a list of different names"),
    "unknown set": (GOOD.replace("iris", "titanic"), "data_sets must be a list of different names"),
    "a set twice": (GOOD.replace('"iris"', '"iris", "iris"'), "a list of different names"),
    "a set and a file of its name": (GOOD.replace('"iris"', '"iris", "iris.csv"'), "different"),
    "all rows train": (f"train = 1.0\n{GOOD}", "train must be a share of the rows above 0"),
    "train and folds": (f"train = 0.5\nfolds = 3\n{GOOD}", "folds must be left out where train"),
    "no seconds": (GOOD + "seconds = 0", "seconds must be a whole number of at least 1"),
    "a list as a set": (GOOD.replace('"iris"', '["iris"]'), "a list of different names"),
    "no methods": ('data_sets = ["iris"]', "methods must be a table with some of cart"),
    "true in a grid": (GOOD.replace("[1, 2]", "[true]"), "grid.max_splits must be"),
    "no number in a grid": (GOOD.replace("[1, 2]", "[nan]"), "grid.max_splits must be"),
    "unknown method": (GOOD.replace("cart", "magic"), "'magic' was given"),
    "unknown entry": (f"fold = 3\n{GOOD}", "'fold' was given"),
    "no grid": (GOOD.replace("grid.max", "iterations = 3 #"), "grid must be a table with a list"),
    "empty grid": (GOOD.replace("[1, 2]", "[]"), "grid.max_splits must be a list of one or more"),
    "half a split": (GOOD.replace("[1, 2]", "[1.5]"), "whole numbers of at least 0; [1.5] was"),
    "whole but not an integer": (GOOD.replace("[1, 2]", "[2.0]"), "whole numbers of at least 0"),
    "negative splits": (GOOD.replace("[1, 2]", "[-1]"), "whole numbers of at least 0; [-1] was"),
    "negative cost": (
        f"{GOOD}[methods.octh]\ngrid.alpha = [-0.1]",
        "methods, octh: grid.alpha must be a list of one or more different finite numbers of at "
        "least 0; [-0.1] was given",
    ),
    "no cost of a machine": (f"{GOOD}[methods.svm-ovo]\ngrid.C = [0]", "finite numbers above 0"),
    "wrong axis": (GOOD.replace("max_splits", "alpha"), "for each of max_splits"),
    "text in a grid": (GOOD.replace("[1, 2]", '["a"]'), "grid.max_splits must be"),
    "a value twice": (GOOD.replace("[1, 2]", "[1, 1]"), "different whole numbers"),
    "one fold": (f"folds = 1\n{GOOD}", "folds must be a whole number of at least 2; 1"),
    "half a fold": (f"folds = 2.5\n{GOOD}", "folds must be a whole number"),
    "true": (f"repetitions = true\n{GOOD}", "repetitions must be a whole number"),
    "large leaf": (f"min_leaf = 0.7\n{GOOD}", "min_leaf must be a number from 0 to 0.5; 0.7"),
    "a point beyond": (f"{GOOD}nested_grid = [{{ max_splits = 9 }}]", "must be a part of the grid"),
    "no point": (f"{GOOD}nested_grid = []", "nested_grid must be a table of lists, or a list of"),
    "a number for a point": (f"{GOOD}nested_grid = [1]", "a list of one or more tables of numbers"),
    "half a point": (f"{GOOD}nested_grid = [{{}}]", "for each of max_splits"),
    "text in a point": (f'{GOOD}nested_grid = [{{ max_splits = "a" }}]', "nested_grid.max_splits"),
    "usual beyond": (f"{GOOD}usual.max_splits = 9", "usual must be a combination of the nested"),
    "nested beyond": (f"{GOOD}nested_grid.max_splits = [3]", "nested_grid must be a part"),
    "unknown score": (f'{GOOD}scoring = "luck"', "scoring must be one of accuracy, nearness, soft"),
    "unknown fit": (f'{GOOD}last_fit = "fresh"', "last_fit must be one of path, average"),
    "score of a machine": (
        f'{GOOD}[methods.svm-ovo]\ngrid.C = [1]\nscoring = "soft"',
        "'scoring' was given",
    ),
    "unknown space": (
        f'{GOOD}[methods.class-tree]\ngrid = {{ C = [1], space = ["outer"] }}',
        "grid.space must be a list of one or more different names among box, whitened",
    ),
    "no table": (f"nested = 3\n{GOOD}", "nested must be a table; 3"),
    "no TOML": ("data_sets = [", "is not TOML"),
}


@pytest.mark.parametrize("case", BAD)
def test_what_is_refused(case):
    """The message names the entry, what is allowed and what was given."""
    text, named = BAD[case]
    with pytest.raises(InvalidInputError, match=re.escape(named)):
        parse_spec("tiny", text)


def test_the_specification_of_the_page():
    """The example in the documentation can be read, and its comment is true."""
    (text,) = re.findall(r"```toml\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    spec = parse_spec("mine", text)
    assert (spec.folds, spec.depth) == (5, 3)
    assert [len(spec.methods[name].grid) for name in ("cart", "moctsvm")] == [3, 4]


def test_files(tmp_path):
    """A specification of one's own is a file; its name is that of the file."""
    path = tmp_path / "mine.toml"
    path.write_text(GOOD, encoding="utf-8")
    assert read_spec(path).name == "mine"
    with pytest.raises(InvalidInputError, match="smoke, quick, paper, wide or a TOML file"):
        read_spec(tmp_path / "none.toml")
