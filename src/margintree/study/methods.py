"""The methods of the study: what each does with a training set and a grid of parameters."""

import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol, TypeAlias

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from margintree._lib.arrays import AnyArray, FloatArray, IntArray
from margintree.core.incumbent import Price
from margintree.core.judges import count_errors, price_labels, relative_errors
from margintree.core.judges.margins import objective
from margintree.core.limits import Limits
from margintree.core.problem import Costs, Problem
from margintree.core.result import Result
from margintree.core.rules import SEPARATION, Shape
from margintree.core.tree import ObliqueTree
from margintree.methods.choice import half_spacing, margins_of, shares_right
from margintree.methods.tuning import (
    fit_cart_path,
    fit_moctsvm_path,
    fit_oct_path,
    fit_octh_path,
    fit_octsvm_path,
)
from margintree.study.references import REFERENCES, Reference

Point: TypeAlias = Mapping[str, float]
"""One combination of parameters."""
Grid: TypeAlias = Sequence[Point]
Score: TypeAlias = Callable[[FloatArray, AnyArray], float]
"""Returns how much of some rows with known labels a model gets right."""


@dataclass(frozen=True)
class Fit:
    """One fitted model, and what is known about it; see `Row` for the meaning of the fields.

    ``score`` says how many rows it gets right, or how much of them; the nested choice adds it up.
    """

    predict: Callable[[FloatArray], AnyArray]
    score: Score
    build_seconds: float
    fit_seconds: float
    splits: int | None = None
    reason: str | None = None
    objective: float | None = None
    bound: float | None = None


@dataclass(frozen=True)
class Settings:
    """What all fits of a study share: depth, least weight of a leaf, and limits."""

    depth: int
    min_leaf: float
    limits: Limits


class Method(Protocol):
    """A method of the study."""

    @property
    def parameters(self) -> tuple[str, ...]:
        """The parameters of its grid."""
        ...

    def why_not(self, n_classes: int) -> str:
        """Return why it cannot be used for so many classes, or at all; nothing when it can."""
        ...

    def fit_path(self, X: FloatArray, y: AnyArray, grid: Grid, settings: Settings) -> list[Fit]:
        """Return a fitted model for every combination of the grid."""
        ...


class Trees(Protocol):
    """Trees of one kind on one training set."""

    def __init__(self, X: FloatArray, y: IntArray, n_classes: int, settings: Settings) -> None: ...

    def solve(self, grid: Grid) -> list[Result]:
        """Return the results of a grid."""
        ...

    def judge(self, point: Point, tree: ObliqueTree) -> Price:
        """Return what a tree costs under one combination."""
        ...


@dataclass(frozen=True)
class TreeMethod:
    """A method of ours, whose fitted model is a tree.

    Attributes
    ----------
    trees : type
        Its kind of trees.
    parameters : tuple of str
        The parameters of its grid.
    max_classes : int or None
        The most classes it can tell apart.
    has_margins : bool
        Whether its trees have margins, and are scored by how near rows are to splits.
    """

    trees: type[Trees]
    parameters: tuple[str, ...]
    max_classes: int | None = None
    has_margins: bool = False

    def why_not(self, n_classes: int) -> str:
        """Return why it cannot be used for so many classes; nothing when it can."""
        if self.max_classes is None or n_classes <= self.max_classes:
            return ""
        return f"for at most {self.max_classes} classes; the set has {n_classes}"

    def fit_path(self, X: FloatArray, y: AnyArray, grid: Grid, settings: Settings) -> list[Fit]:
        """Return a fitted tree for every combination of the grid."""
        start = time.perf_counter()
        classes, codes = np.unique(y, return_inverse=True)
        trees = self.trees(X, codes, len(classes), settings)
        seconds = (time.perf_counter() - start) / len(grid)
        return [
            Fit(
                predict=_predictor(result.tree, classes),
                score=self._score(result.tree, classes, X),
                build_seconds=seconds,
                fit_seconds=result.seconds,
                splits=result.tree.n_splits,
                reason=str(result.reason),
                objective=trees.judge(point, result.tree).total,
                bound=result.bound,
            )
            for point, result in zip(grid, trees.solve(grid), strict=True)
        ]

    def _score(self, tree: ObliqueTree, classes: AnyArray, X: FloatArray) -> Score:
        """Return what scores a tree that was learnt from the rows ``X``."""
        if self.has_margins:
            return _margin_score(tree, classes, X)
        return _counter(_predictor(tree, classes))


def _predictor(tree: ObliqueTree, classes: AnyArray) -> Callable[[FloatArray], AnyArray]:
    return lambda X: np.asarray(classes[tree.predict(tree.scaling.apply(X))])


def _counter(predict: Callable[[FloatArray], AnyArray]) -> Score:
    return lambda X, y: int((predict(X) == y).sum())


def _margin_score(tree: ObliqueTree, classes: AnyArray, learnt: FloatArray) -> Score:
    """Return the sum of `shares_right`, in the mean over two things that may count as near."""

    def score(X: FloatArray, y: AnyArray) -> float:
        Z = tree.scaling.apply(X)
        codes = np.where(np.isin(y, classes), np.searchsorted(classes, y), -1)
        reaches = half_spacing(tree.scaling.apply(learnt)), margins_of(tree)
        return float(np.mean([shares_right(tree, Z, codes, reach).sum() for reach in reaches]))

    return score


@dataclass(frozen=True)
class OutsideMethod:
    """A classifier of another package, fitted anew for every combination.

    Attributes
    ----------
    reference : Reference
        The classifier.
    parameters : tuple of str
        The parameters of its grid.
    levels : int or None
        What it calls a tree without splits, in its own count of levels; None if it is no tree.
    n_splits : callable
        Returns the number of splits of a fitted classifier, None if it is no tree.
    """

    reference: Reference
    parameters: tuple[str, ...]
    levels: int | None = None
    n_splits: Callable[[Any], int | None] = lambda _: None

    def why_not(self, n_classes: int) -> str:  # noqa: ARG002
        """Return why it cannot be used here; nothing when it can."""
        return self.reference.why_missing()

    def fit_path(self, X: FloatArray, y: AnyArray, grid: Grid, settings: Settings) -> list[Fit]:
        """Return a fitted classifier for every combination of the grid."""
        return [self._fit(X, y, point, settings) for point in grid]

    def _fit(self, X: FloatArray, y: AnyArray, point: Point, settings: Settings) -> Fit:
        start = time.perf_counter()
        depth = {} if self.levels is None else {"max_depth": self.levels + settings.depth}
        classifier = self.reference.classifier(**depth, **point)
        built = time.perf_counter()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            classifier.fit(X, y)
        seconds = time.perf_counter() - built
        return Fit(
            classifier.predict,
            _counter(classifier.predict),
            built - start,
            seconds,
            self.n_splits(classifier),
        )


class MarginTrees:
    """Trees of MOCTSVM."""

    def __init__(self, X: FloatArray, y: IntArray, n_classes: int, settings: Settings) -> None:
        self.problem = Problem.from_data(X, y, n_classes=n_classes, depth=settings.depth)
        self.limits = settings.limits

    def costs(self, point: Point) -> Costs:
        """Return the costs of a combination."""
        return Costs(errors=point["c1"], violations=point["c2"], splits=point["c3"])

    def solve(self, grid: Grid) -> list[Result]:
        """Return the results of a grid."""
        return fit_moctsvm_path(self.problem, [*map(self.costs, grid)], self.limits)

    def judge(self, point: Point, tree: ObliqueTree) -> Price:
        """Return what a tree costs under one combination."""
        return objective(replace(self.problem, costs=self.costs(point)), tree)


class LabelTrees(MarginTrees):
    """Trees of OCTSVM."""

    def costs(self, point: Point) -> Costs:
        """Return the costs of a combination, in the letters of its own paper."""
        return Costs(violations=point["c1"], errors=point["c2"], splits=point["c3"])

    def solve(self, grid: Grid) -> list[Result]:
        """Return the results of a grid."""
        return fit_octsvm_path(self.problem, [*map(self.costs, grid)], self.limits)

    def judge(self, point: Point, tree: ObliqueTree) -> Price:
        """Return what a tree costs under one combination."""
        return price_labels(replace(self.problem, costs=self.costs(point)), tree)


class CARTTrees:
    """Trees of CART, pruned to a number of splits."""

    def __init__(self, X: FloatArray, y: IntArray, n_classes: int, settings: Settings) -> None:
        self.problem = relative_errors(X, y, n_classes=n_classes, depth=settings.depth)
        self.shape = Shape.of(self.problem, settings.min_leaf)
        self.limits = settings.limits

    def solve(self, grid: Grid) -> list[Result]:
        """Return the results of a grid."""
        return fit_cart_path(self.problem, self.shape, _n_splits(grid), self.limits)

    def judge(self, point: Point, tree: ObliqueTree) -> Price:
        """Return what a tree costs under one combination."""
        costs = replace(self.problem.costs, splits=point.get("alpha", 0.0))
        return count_errors(replace(self.problem, costs=costs), self.shape, tree)


class OCTTrees(CARTTrees):
    """Trees of OCT, optimal for a number of splits."""

    def solve(self, grid: Grid) -> list[Result]:
        """Return the results of a grid."""
        return fit_oct_path(self.problem, self.shape, _n_splits(grid), self.limits)


class OCTHTrees(CARTTrees):
    """Trees of OCT-H."""

    def __init__(self, X: FloatArray, y: IntArray, n_classes: int, settings: Settings) -> None:
        super().__init__(X, y, n_classes, settings)
        self.shape = replace(self.shape, axis_parallel=False, separation=SEPARATION)

    def solve(self, grid: Grid) -> list[Result]:
        """Return the results of a grid."""
        prices = [point["alpha"] for point in grid]
        return fit_octh_path(self.problem, self.shape, prices, self.limits)


def _n_splits(grid: Grid) -> list[int]:
    return [int(point["max_splits"]) for point in grid]


METHODS: dict[str, Method] = {
    "moctsvm": TreeMethod(MarginTrees, ("c1", "c2", "c3"), has_margins=True),
    "octsvm": TreeMethod(LabelTrees, ("c1", "c2", "c3"), max_classes=2, has_margins=True),
    "oct": TreeMethod(OCTTrees, ("max_splits",)),
    "octh": TreeMethod(OCTHTrees, ("alpha",)),
    "cart": TreeMethod(CARTTrees, ("max_splits",)),
    "svm-ovo": OutsideMethod(REFERENCES["svm-ovo"], ("C",)),
    "svm-ova": OutsideMethod(REFERENCES["svm-ova"], ("C",)),
    "stree": OutsideMethod(
        REFERENCES["stree"],
        ("C",),
        levels=1,
        n_splits=lambda fitted: fitted[-1].nodes_leaves()[1] - 1,
    ),
    "contree": OutsideMethod(
        REFERENCES["contree"],
        ("complexity_cost",),
        levels=0,
        n_splits=lambda fitted: int(fitted.tree_.get_num_branching_nodes()),
    ),
}
"""The methods by name."""
