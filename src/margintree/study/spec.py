"""Specifications of studies, read from TOML files."""

import math
import os
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from importlib.resources import files
from itertools import product
from pathlib import Path
from typing import Any, TypeAlias

from margintree._lib.exceptions import InvalidInputError
from margintree._lib.suggestion import did_you_mean
from margintree.core.learnt_space import SPACES
from margintree.data.datasets import CATALOGUE
from margintree.methods.path import Point
from margintree.methods.scoring import SCORES
from margintree.study.learners import Grid, Learner, TreeLearner, learners

SPECS = ("smoke", "quick", "paper", "wide")
"""The specifications that come with the package."""


@dataclass(frozen=True)
class Nested:
    """How a combination of parameters is chosen inside a training fold."""

    folds: int = 5  # parts of the training fold; each one tests the fits on the others
    repetitions: int = 1  # number of divisions of a training fold
    few_rows: int = 75  # chance plays a larger part in training folds of at most this size,
    repetitions_of_few: int = 3  # so they are divided this often instead

    def times(self, n_rows: int) -> int:
        """Return the number of divisions of a training fold of this size."""
        return self.repetitions_of_few if n_rows <= self.few_rows else self.repetitions


@dataclass(frozen=True)
class MethodSpec:
    """How one method takes part in a study.

    The choice inside a training fold keeps the ``usual`` combination unless another one is better
    by more than half a standard error. If ``usual`` is None, it takes the best one.
    """

    grid: Grid  # the combinations of parameters, in the order of the specification
    nested_grid: Grid  # the candidates of the choice inside a training fold; by default all
    iterations: int | None = None  # limit of every fit, for methods that have one
    nested_iterations: int | None = None  # limit of the fits of the choice; by default the same
    usual: Point | None = None
    seconds: int | None = None  # another limit of every fit; rows that end at it are not repeatable
    scoring: str = "accuracy"  # of trees, in the choice: one of `SCORES`
    last_fit: str = "path"  # of trees, after the choice; or "average", for class trees


@dataclass(frozen=True)
class Spec:
    """What a study compares.

    Examples
    --------
    >>> spec = read_spec("paper")
    >>> len(spec.data_sets), len(spec.methods["moctsvm"].grid)
    (13, 605)
    """

    name: str
    text: str  # the TOML source
    data_sets: tuple[str, ...]
    methods: Mapping[str, MethodSpec]
    tables: Mapping[str, str] = field(default_factory=dict)  # files of data sets of your own
    repetitions: int = 5  # number of divisions of every data set
    folds: int = 5  # one fold trains, the others test
    train: float | None = None  # share of the rows that train, in place of folds
    depth: int = 3
    min_leaf: float = 0.05  # for CART, OCT and OCT-H: least share of the training rows in a leaf
    seed: int = 0  # of every fit
    nested: Nested = field(default_factory=Nested)


def read_spec(source: str | os.PathLike[str]) -> Spec:
    """Return a specification of the package by its name, or one of your own by its path."""
    name = os.fspath(source)
    bundled = Path(str(files("margintree.study"))) / "specs" / f"{name}.toml"
    path = bundled if name in SPECS else Path(source)
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInputError(
            f"The specification must be one of {', '.join(SPECS)} or a TOML file; {name!r} cannot "
            f"be read: {error.strerror if isinstance(error, OSError) else error}. "
            f"{did_you_mean(name, SPECS)}Correct its name."
        ) from error
    return parse_spec(path.stem, text)


def parse_spec(name: str, text: str) -> Spec:
    """Return the specification that a TOML text describes.

    Examples
    --------
    >>> spec = parse_spec("tiny", '''
    ... data_sets = ["iris"]
    ... [methods.cart]
    ... grid.max_splits = [1, 2]
    ... ''')
    >>> spec.methods["cart"].grid
    ({'max_splits': 1}, {'max_splits': 2})
    """
    try:
        raw = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InvalidInputError(
            f"The specification {name!r} is not TOML: {error}. Correct it there."
        ) from error
    reader = _Reader(name, raw)
    inner = ("name", "text", "tables")
    reader.only([one.name for one in fields(Spec) if one.name not in inner])
    nested = reader.part("nested")
    nested.only([one.name for one in fields(Nested)])
    methods = reader.part("methods")
    known = learners()
    methods.only(list(known))
    if not methods.raw:
        reader.refuse("methods", f"a table with some of {', '.join(known)}", methods.raw)
    data_sets = _data_sets(reader)
    train = _train(reader)
    return Spec(
        name=name,
        text=text,
        data_sets=tuple(data_sets),
        methods={method: _method(methods.part(method), known[method]) for method in methods.raw},
        tables={name: file for name, file in data_sets.items() if file},
        repetitions=reader.count("repetitions", Spec.repetitions),
        folds=reader.count("folds", Spec.folds, least=2) if train is None else 1,
        train=train,
        depth=reader.count("depth", Spec.depth),
        min_leaf=reader.number("min_leaf", Spec.min_leaf),
        seed=reader.count("seed", Spec.seed, least=0),
        nested=Nested(
            folds=nested.count("folds", Nested.folds, least=2),
            repetitions=nested.count("repetitions", Nested.repetitions, least=0),
            few_rows=nested.count("few_rows", Nested.few_rows, least=0),
            repetitions_of_few=nested.count(
                "repetitions_of_few", Nested.repetitions_of_few, least=0
            ),
        ),
    )


def _data_sets(reader: "_Reader") -> dict[str, str]:
    """Return the names of the data sets with their files; those of the catalogue have none."""
    entries = reader.raw.get("data_sets", [])
    is_list = isinstance(entries, list) and all(isinstance(one, str) for one in entries)
    found = {} if not is_list else {_name_of(one): _file_of(one) for one in entries}
    is_known = all(name in CATALOGUE or file for name, file in found.items())
    if not found or not is_known or len(found) < len(entries):
        known = ", ".join(CATALOGUE)
        allowed = f"a list of different names among {known}, or of paths to tables such as my.csv"
        reader.refuse("data_sets", allowed, entries)
    return found


def _file_of(entry: str) -> str:
    """Return the path of a data set of the user's own; an empty text for those of the catalogue."""
    return entry if Path(entry).suffix else ""


def _name_of(entry: str) -> str:
    """Return the name of a data set.

    Examples
    --------
    >>> _name_of("iris"), _name_of("tables/pima.csv.gz")
    ('iris', 'pima')
    """
    return Path(entry).name.partition(".")[0]


def _train(reader: "_Reader") -> float | None:
    """Return the share of the rows that train, if the specification gives one."""
    share = reader.raw.get("train")
    if share is None:
        return None
    if type(share) is not float or not 0 < share < 1:
        reader.refuse("train", "a share of the rows above 0 and below 1", share)
    if "folds" in reader.raw:
        reader.refuse("folds", "left out where train is given", reader.raw["folds"])
    return float(share)


def _method(reader: "_Reader", learner: Learner) -> MethodSpec:
    of_trees = () if isinstance(learner, TreeLearner) else ("scoring", "last_fit")
    reader.only([one.name for one in fields(MethodSpec) if one.name not in of_trees])
    names = learner.parameters
    grid = _grid(reader, "grid", names)
    nested_grid = grid
    if "nested_grid" in reader.raw:
        nested_grid = _points(reader, "nested_grid", names)
        if not all(point in grid for point in nested_grid):
            reader.refuse("nested_grid", "a part of the grid", reader.raw["nested_grid"])
    usual = reader.raw.get("usual")
    if usual is not None and usual not in nested_grid:
        reader.refuse("usual", "a combination of the nested grid", usual)
    iterations = reader.count("iterations", None)
    nested_iterations = reader.count("nested_iterations", iterations)
    seconds = reader.count("seconds", None)
    scoring = reader.one_of("scoring", tuple(SCORES))
    last_fit = reader.one_of("last_fit", ("path", "average"))
    return MethodSpec(
        grid, nested_grid, iterations, nested_iterations, usual, seconds, scoring, last_fit
    )


_Values: TypeAlias = tuple[str, Callable[[Any], bool]]
"""The allowed values of a parameter, in words and as a test."""


def _numbers(words: str, is_allowed: Callable[[float], bool]) -> _Values:
    """Return the values that are finite numbers and pass a test."""

    def test(value: Any) -> bool:
        return type(value) in (int, float) and math.isfinite(value) and is_allowed(value)

    return words, test


_COUNTS = _numbers(
    "whole numbers of at least 0", lambda value: isinstance(value, int) and value >= 0
)
_POSITIVE = _numbers("finite numbers above 0", lambda value: value > 0)
_COSTS = _numbers("finite numbers of at least 0", lambda value: value >= 0)
_AXES: dict[str, _Values] = {
    "max_splits": _COUNTS,
    "min_samples_leaf": _COUNTS,
    "C": _POSITIVE,
    "gamma": _POSITIVE,
    "space": (f"names among {', '.join(SPACES)}", lambda value: value in [*SPACES]),
}
"""The allowed values of parameters; all others are costs."""


def _grid(reader: "_Reader", key: str, names: Sequence[str]) -> Grid:
    """Return all combinations of parameter values; the last parameter changes fastest."""
    axes = reader.raw.get(key, {})
    if not isinstance(axes, dict) or {*axes} != {*names}:
        reader.refuse(key, f"a table with a list of values for each of {', '.join(names)}", axes)
    for name, values in axes.items():
        allowed, is_allowed = _AXES.get(name, _COSTS)
        if not _is_axis(values, is_allowed):
            reader.refuse(f"{key}.{name}", f"a list of one or more different {allowed}", values)
    return tuple(dict(zip(axes, point, strict=True)) for point in product(*axes.values()))


def _points(reader: "_Reader", key: str, names: Sequence[str]) -> Grid:
    """Return the combinations of a grid, or those that a list gives one by one."""
    listed = reader.raw[key]
    if not isinstance(listed, list):
        return _grid(reader, key, names)
    if not listed or not all(isinstance(one, dict) for one in listed):
        reader.refuse(key, "a table of lists, or a list of one or more tables of numbers", listed)
    singles = [
        _grid(_Reader(reader.place, {key: {name: [one[name]] for name in one}}), key, names)
        for one in listed
    ]
    return tuple(point for (point,) in singles)


def _is_axis(values: Any, is_allowed: Callable[[Any], bool]) -> bool:
    return (
        isinstance(values, list)
        and len(values) > 0
        and all(map(is_allowed, values))
        and len({*values}) == len(values)
    )


@dataclass(frozen=True)
class _Reader:
    """A table of the specification and its place there; it checks its entries."""

    place: str
    raw: Mapping[str, Any]

    def part(self, key: str) -> "_Reader":
        raw = self.raw.get(key, {})
        if not isinstance(raw, dict):
            self.refuse(key, "a table", raw)
        return _Reader(f"{self.place}, {key}", raw)

    def only(self, names: Sequence[str]) -> None:
        for key in self.raw:
            if key not in names:
                raise InvalidInputError(
                    f"The specification {self.place} may have the entries {', '.join(names)}; "
                    f"{key!r} was given."
                )

    def count(self, key: str, default: Any, least: int = 1) -> Any:
        """Return a whole number."""
        value = self.raw.get(key, default)
        if key in self.raw and (type(value) is not int or value < least):
            self.refuse(key, f"a whole number of at least {least}", value)
        return value

    def one_of(self, key: str, words: Sequence[str]) -> str:
        """Return one of some words; the first if there is none."""
        value = self.raw.get(key, words[0])
        if value not in words:
            self.refuse(key, f"one of {', '.join(words)}", value)
        return str(value)

    def number(self, key: str, default: float) -> float:
        value = self.raw.get(key, default)
        if type(value) not in (int, float) or not 0 <= value <= 0.5:
            self.refuse(key, "a number from 0 to 0.5", value)
        return float(value)

    def refuse(self, key: str, allowed: str, given: Any) -> None:
        raise InvalidInputError(
            f"The specification {self.place}: {key} must be {allowed}; {given!r} was given."
        )
