"""What a study is to do, read from a TOML file."""

import math
import os
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from importlib.resources import files
from itertools import product
from pathlib import Path
from typing import Any

from margintree._lib.exceptions import InvalidInputError
from margintree.data.datasets import CATALOGUE
from margintree.methods.path import Point
from margintree.study.learners import Grid, learners

SPECS = ("smoke", "quick", "paper")
"""The specifications that come with the package."""


@dataclass(frozen=True)
class Nested:
    """How a combination is chosen inside a training fold.

    Attributes
    ----------
    folds : int
        Folds of the training fold; each tests what was fitted on the others.
    repetitions : int
        How often it is divided anew.
    few_rows, repetitions_of_few : int
        The same for training folds of at most so many rows, where chance has a larger part.
    """

    folds: int = 5
    repetitions: int = 1
    few_rows: int = 75
    repetitions_of_few: int = 3

    def times(self, n_rows: int) -> int:
        """Return how often a training fold of so many rows is divided."""
        return self.repetitions_of_few if n_rows <= self.few_rows else self.repetitions


@dataclass(frozen=True)
class MethodSpec:
    """What is done with one method.

    Attributes
    ----------
    grid : tuple of dict
        The combinations of parameters, in the order of the specification.
    nested_grid : tuple of dict
        Those among which is chosen inside the training fold; by default all.
    iterations : int or None
        The iteration limit of every fit, for methods that have one.
    nested_iterations : int or None
        The same for the fits that only serve the choice; by default as many.
    usual : dict or None
        The combination of the nested grid that is kept unless another does better by more than
        half a standard error; None where the best is taken however little better it is.
    """

    grid: Grid
    nested_grid: Grid
    iterations: int | None = None
    nested_iterations: int | None = None
    usual: Point | None = None


@dataclass(frozen=True)
class Spec:
    """What a study is to do.

    Attributes
    ----------
    name, text : str
        Its name, and the text that it was read from.
    data_sets : tuple of str
        The names of the data sets.
    methods : dict
        What is done with every method by its name.
    repetitions, folds : int
        How often every set is divided, and into how many folds; one fold trains, the others test.
    depth : int
        The depth of the trees.
    min_leaf : float
        The least weight of a leaf of CART, OCT and OCT-H, as a share of the training rows.
    seed : int
        The seed of every fit.
    nested : Nested
        How combinations are chosen inside the training fold.

    Examples
    --------
    >>> spec = read_spec("paper")
    >>> len(spec.data_sets), len(spec.methods["moctsvm"].grid)
    (13, 605)
    """

    name: str
    text: str
    data_sets: tuple[str, ...]
    methods: Mapping[str, MethodSpec]
    repetitions: int = 5
    folds: int = 5
    depth: int = 3
    min_leaf: float = 0.05
    seed: int = 0
    nested: Nested = field(default_factory=Nested)


def read_spec(source: str | os.PathLike[str]) -> Spec:
    """Return a specification by its name, or from a TOML file.

    Parameters
    ----------
    source : str or path-like
        ``"smoke"``, ``"quick"``, ``"paper"``, or the path of a file.

    Raises
    ------
    InvalidInputError
        When there is no such specification or it cannot be used; the message names the entry.
    """
    name = os.fspath(source)
    path = Path(str(files("margintree.study"))) / "specs" / f"{name}.toml"
    path = path if name in SPECS else Path(source)
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInputError(
            f"The specification must be one of {', '.join(SPECS)} or a TOML file; {name!r} cannot "
            f"be read: {error}."
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
        raise InvalidInputError(f"The specification {name!r} is not TOML: {error}.") from error
    reader = _Reader(name, raw)
    names = ("data_sets", "methods", "repetitions", "folds", "depth", "min_leaf", "seed", "nested")
    reader.only(names)
    nested = reader.part("nested")
    nested.only([one.name for one in fields(Nested)])
    methods = reader.part("methods")
    known = learners()
    methods.only(list(known))
    if not methods.raw:
        reader.refuse("methods", f"a table with some of {', '.join(known)}", methods.raw)
    return Spec(
        name=name,
        text=text,
        data_sets=_data_sets(reader),
        methods={
            method: _method(methods.part(method), known[method].parameters)
            for method in methods.raw
        },
        repetitions=reader.count("repetitions", Spec.repetitions),
        folds=reader.count("folds", Spec.folds, least=2),
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


def _data_sets(reader: "_Reader") -> tuple[str, ...]:
    names = reader.raw.get("data_sets", [])
    is_right = isinstance(names, list) and names and all(isinstance(name, str) for name in names)
    if not is_right or len({*names}) < len(names) or not {*names} <= {*CATALOGUE}:
        reader.refuse("data_sets", f"a list of different names among {', '.join(CATALOGUE)}", names)
    return tuple(names)


def _method(reader: "_Reader", names: Sequence[str]) -> MethodSpec:
    reader.only([one.name for one in fields(MethodSpec)])
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
    return MethodSpec(grid, nested_grid, iterations, nested_iterations, usual)


def _is_whole(value: float) -> bool:
    return isinstance(value, int) and value >= 0


_AXES: dict[str, tuple[str, Callable[[float], bool]]] = {
    "max_splits": ("whole numbers of at least 0", _is_whole),
    "C": ("finite numbers above 0", lambda value: value > 0),
}
"""What the values of a parameter may be, in words and as a test."""
_COSTS = "finite numbers of at least 0", lambda value: value >= 0
"""What those of all other parameters may be, which are costs."""


def _grid(reader: "_Reader", key: str, names: Sequence[str]) -> Grid:
    """Return all combinations of the values of the parameters, the last changing fastest."""
    axes = reader.raw.get(key, {})
    if not isinstance(axes, dict) or {*axes} != {*names}:
        reader.refuse(key, f"a table with a list of numbers for each of {', '.join(names)}", axes)
    for name, values in axes.items():
        allowed, is_allowed = _AXES.get(name, _COSTS)
        if not _is_axis(values, is_allowed):
            reader.refuse(f"{key}.{name}", f"a list of one or more different {allowed}", values)
    return tuple(dict(zip(axes, point, strict=True)) for point in product(*axes.values()))


def _points(reader: "_Reader", key: str, names: Sequence[str]) -> Grid:
    """Return a grid, or the combinations of a list one by one."""
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


def _is_axis(values: Any, is_allowed: Callable[[float], bool]) -> bool:
    return (
        isinstance(values, list)
        and len(values) > 0
        and all(type(value) in (int, float) and math.isfinite(value) for value in values)
        and all(map(is_allowed, values))
        and len({*values}) == len(values)
    )


@dataclass(frozen=True)
class _Reader:
    """A table of the specification, with the place it has there."""

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

    def number(self, key: str, default: float) -> float:
        value = self.raw.get(key, default)
        if type(value) not in (int, float) or not 0 <= value <= 0.5:
            self.refuse(key, "a number from 0 to 0.5", value)
        return float(value)

    def refuse(self, key: str, allowed: str, given: Any) -> None:
        raise InvalidInputError(
            f"The specification {self.place}: {key} must be {allowed}; {given!r} was given."
        )
