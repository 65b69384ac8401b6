"""Learners: our methods and the references behind one interface."""

import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Protocol, TypeAlias

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from margintree._lib.arrays import AnyArray, FloatArray
from margintree._lib.exceptions import InvalidInputError, PoorTreeWarning
from margintree.core import topology
from margintree.core.learnt_space import MAX_COLUMNS
from margintree.core.limits import Limits
from margintree.core.method import Method
from margintree.core.problem import Problem
from margintree.core.result import Result
from margintree.estimators import (
    ESTIMATORS,
    MethodClassifier,
    MOCTSVMClassifier,
    MOCTSVMClassifierCV,
    TreeClassifierCV,
)
from margintree.methods import METHODS
from margintree.methods.choose import Choice, Division, Trial, choose
from margintree.methods.path import Point, path
from margintree.study.references import REFERENCES, Reference

Grid: TypeAlias = Sequence[Point]
WIDEST = {"complexity": "splits", "planes": "margin"}
"""Parameters of the OCT-H whose hyperplanes have maximum margins."""


@dataclass(frozen=True)
class Fit:
    """A fitted model with its measurements; `Row` explains the fields."""

    predict: Callable[[FloatArray], AnyArray]
    build_seconds: float
    fit_seconds: float
    splits: int | None = None
    coefficients: int | None = None
    confidence: Callable[[FloatArray], FloatArray] | None = None  # share of the predicted class
    reason: str | None = None
    objective: float | None = None
    bound: float | None = None


@dataclass(frozen=True)
class Settings:
    """Settings that all fits of a study share: depth, least weight of a leaf, limits."""

    depth: int
    min_leaf: float
    limits: Limits


@dataclass(frozen=True)
class NestedChoice:
    """The rules of the choice inside a training fold."""

    grid: Grid  # the candidates
    divisions: Sequence[Division]  # rows of the training fold to learn from and to test on
    usual: Point | None  # the combination that is kept in doubt
    iterations: int | None  # limit of a fit of the choice
    scoring: str = "accuracy"  # of trees, as in `TreeClassifierCV`
    last_fit: str = "path"  # of trees, as in `TreeClassifierCV`


class Learner(Protocol):
    """A method or a reference, as a study compares them."""

    @property
    def label(self) -> str:
        """Name in tables."""
        ...

    @property
    def parameters(self) -> tuple[str, ...]:
        """Names of the parameters in its grid."""
        ...

    def why_not(self, n_classes: int, n_columns: int) -> str:
        """Return why it cannot be used for so many classes or columns; an empty text if it can."""
        ...

    def fit_grid(self, X: FloatArray, y: AnyArray, grid: Grid, settings: Settings) -> list[Fit]:
        """Return a fitted model for every combination of the grid."""
        ...

    def fit_chosen(
        self, X: FloatArray, y: AnyArray, nested: NestedChoice, settings: Settings
    ) -> tuple[Point, Fit]:
        """Return the combination that a choice on these rows alone gives, and its model."""
        ...


@dataclass(frozen=True)
class TreeLearner:
    """One of our methods."""

    method: Method
    kind: type[MethodClassifier] | None  # its classifier, which also works in another process
    variant: str = ""  # what sets it apart from the method, in tables
    fixed: Mapping[str, Any] = field(default_factory=dict)  # parameters of the variant
    most_columns: int | None = None  # that the variant can take, as numbers

    @property
    def label(self) -> str:
        """Name in tables."""
        return f"{self.method.label} {self.variant}".strip()

    @property
    def parameters(self) -> tuple[str, ...]:
        """Names of the parameters of the method's candidates, without the depth, which is fixed."""
        names = self.method.candidates_for(n_classes=2, n_columns=1)
        return tuple(name for name in names if name != "max_depth")

    def why_not(self, n_classes: int, n_columns: int) -> str:
        """Return why it cannot be used for so many classes or columns; an empty text if it can."""
        limits = (
            (self.method.max_classes, n_classes, "classes"),
            (self.most_columns, n_columns, "columns"),
        )
        return next(
            (
                f"for at most {most} {what}; the set has {count}"
                for most, count, what in limits
                if most is not None and count > most
            ),
            "",
        )

    def fit_grid(self, X: FloatArray, y: AnyArray, grid: Grid, settings: Settings) -> list[Fit]:
        """Return a fitted tree for every combination of the grid, along one path."""
        start = time.process_time()
        classes, codes = np.unique(y, return_inverse=True)
        rows = Problem.from_data(X, codes, n_classes=len(classes), depth=settings.depth)
        points = [self._fixed(settings) | dict(point) for point in grid]
        built = time.process_time()
        results = path(self.method, rows, points, settings.limits)
        shares = (built - start) / len(grid), (time.process_time() - built) / len(grid)
        return [_fit_of(result, classes, *shares) for result in results]

    def fit_chosen(
        self, X: FloatArray, y: AnyArray, nested: NestedChoice, settings: Settings
    ) -> tuple[Point, Fit]:
        """Return the choice of `TreeClassifierCV`, the class that users call, and its tree."""
        start = time.process_time()
        depth = {"max_depth": settings.depth}
        chooser = TreeClassifierCV(
            self._classifier(settings),
            [depth | dict(point) for point in nested.grid],
            cv=nested.divisions,
            scoring=nested.scoring,
            usual=nested.usual,
            path_iter=nested.iterations,
            path_rows=None,
            last_fit=nested.last_fit,
            time_limit=None,
        )
        with warnings.catch_warnings():
            # In a table of results, a tree without a split is a result like any other.
            warnings.simplefilter("ignore", PoorTreeWarning)
            chooser.fit(X, y)
        seconds = time.process_time() - start
        point = {name: chooser.best_params_[name] for name in self.parameters}
        return point, _fit_of(chooser.result_, chooser.classes_, 0.0, seconds)

    def _fixed(self, settings: Settings) -> dict[str, Any]:
        """Return the parameters that are not in the grid."""
        # In the paper, methods that only count errors have a least weight of a leaf.
        rules = {} if self.method.has_margins else {"min_samples_leaf": settings.min_leaf}
        return {"max_depth": settings.depth, **rules, **self.fixed}

    def _classifier(self, settings: Settings) -> MethodClassifier:
        """Return the method's classifier with these settings."""
        wanted = {
            **self._fixed(settings),
            "random_state": settings.limits.seed,
            "max_iter": settings.limits.iterations,
            "time_limit": None,
        }
        if self.kind is None:
            raise InvalidInputError(
                "A method needs a classifier in margintree.estimators.ESTIMATORS for a choice of "
                f"its parameters; {self.method.name} has none. Add it, or set nested.repetitions=0."
            )
        names = self.kind._get_param_names()
        return self.kind(**{name: value for name, value in wanted.items() if name in names})


def _fit_of(result: Result, classes: AnyArray, build_seconds: float, fit_seconds: float) -> Fit:
    tree = result.tree
    shares = tree.leaf_shares(smoothing=0.0)[np.arange(len(tree.leaf_classes)), tree.leaf_classes]
    first = topology.n_leaves(tree.depth)
    return Fit(
        predict=lambda X: np.asarray(classes[tree.predict(tree.scaling.apply(X))]),
        build_seconds=build_seconds,
        fit_seconds=fit_seconds,
        splits=tree.n_splits,
        coefficients=tree.n_coefficients,
        confidence=lambda X: np.asarray(shares[tree.apply(tree.scaling.apply(X)) - first]),
        reason=str(result.reason),
        objective=result.objective,
        bound=result.bound,
    )


@dataclass(frozen=True)
class OutsideLearner:
    """A classifier of another package, fitted anew for every combination."""

    reference: Reference

    @property
    def label(self) -> str:
        """Name in tables."""
        return self.reference.label

    @property
    def parameters(self) -> tuple[str, ...]:
        """Names of the parameters in its grid."""
        return self.reference.parameters

    def why_not(self, n_classes: int, n_columns: int) -> str:  # noqa: ARG002
        """Return why it cannot be used; an empty text if it can."""
        return self.reference.why_missing()

    def fit_grid(self, X: FloatArray, y: AnyArray, grid: Grid, settings: Settings) -> list[Fit]:
        """Return a fitted classifier for every combination of the grid."""
        return [self._fit(X, y, point, settings) for point in grid]

    def fit_chosen(
        self, X: FloatArray, y: AnyArray, nested: NestedChoice, settings: Settings
    ) -> tuple[Point, Fit]:
        """Return the choice by the rule of `TreeClassifierCV`, and the fitted classifier."""
        start = time.process_time()
        candidates = _OutsideCandidates(self, X, y, nested.grid, settings)
        trials = list(choose([candidates], nested.divisions))
        weights = np.array([len(test) for _, test in nested.divisions], dtype=float)
        usual = None if nested.usual is None else list(nested.grid).index(nested.usual)
        choice = Choice(nested.grid, trials, weights, usual, n_rows=float(len(y)))
        point = nested.grid[choice.best]
        fit = self._fit(X, y, point, settings)
        seconds = time.process_time() - start
        return point, replace(fit, build_seconds=0.0, fit_seconds=seconds)

    def _fit(self, X: FloatArray, y: AnyArray, point: Point, settings: Settings) -> Fit:
        start, reference = time.process_time(), self.reference
        depth = {} if reference.levels is None else {"max_depth": reference.levels + settings.depth}
        classifier = reference.classifier(**depth, **point)
        built = time.process_time()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            classifier.fit(X, y)
        seconds = time.process_time() - built
        return Fit(
            classifier.predict,
            built - start,
            seconds,
            reference.count_splits(classifier),
            reference.count_coefficients(classifier),
            _confidence_of(classifier),
        )


def _confidence_of(classifier: Any) -> Callable[[FloatArray], FloatArray] | None:
    """Return the probability of the predicted class, if a classifier gives probabilities."""
    if not hasattr(classifier, "predict_proba"):
        return None
    return lambda X: np.asarray(classifier.predict_proba(X).max(axis=1))


@dataclass(frozen=True, eq=False)
class _OutsideCandidates:
    """The combinations of a reference on a training fold."""

    learner: OutsideLearner
    X: FloatArray
    y: AnyArray
    grid: Grid
    settings: Settings

    def try_on(self, division: Division, seconds: float) -> list[Trial]:  # noqa: ARG002
        """Return a trial for every combination; references have no time limit."""
        learn, test = division
        fits = self.learner.fit_grid(self.X[learn], self.y[learn], self.grid, self.settings)
        X, y = self.X[test], self.y[test]
        return [Trial(float((fit.predict(X) == y).mean()), fit.splits or 0) for fit in fits]


@dataclass(frozen=True)
class ChoosingLearner:
    """A classifier that chooses its parameters by itself, at whatever depth it likes.

    It has no time limit, so that its rows do not depend on the machine.
    """

    label: str
    unfitted: Callable[[int], TreeClassifierCV]  # of a seed
    parameters: ClassVar[tuple[str, ...]] = ()

    def why_not(self, n_classes: int, n_columns: int) -> str:  # noqa: ARG002
        """Return an empty text: it can be used for all tables."""
        return ""

    def fit_grid(
        self,
        X: FloatArray,
        y: AnyArray,
        grid: Grid,
        settings: Settings,
    ) -> list[Fit]:
        """Return the one fitted classifier, whatever depth the settings have."""
        start = time.process_time()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", PoorTreeWarning)
            fitted = self.unfitted(settings.limits.seed).fit(X, y)
        seconds = time.process_time() - start
        return [_fit_of(fitted.result_, fitted.classes_, 0.0, seconds) for _ in grid]

    def fit_chosen(
        self,
        X: FloatArray,
        y: AnyArray,
        nested: NestedChoice,  # noqa: ARG002
        settings: Settings,
    ) -> tuple[Point, Fit]:
        """Return no parameters, and the fitted classifier."""
        (fit,) = self.fit_grid(X, y, [{}], settings)
        return {}, fit


def _moctsvm_default(seed: int) -> TreeClassifierCV:
    """Return what users get who set nothing but the seed."""
    return MOCTSVMClassifierCV(
        MOCTSVMClassifier(random_state=seed, time_limit=None), time_limit=None
    )


def learners() -> Mapping[str, Learner]:
    """Return all learners by name: our methods first, then the references."""
    kinds = {kind._method.name: kind for kind in ESTIMATORS.values()}
    ours: dict[str, Learner] = {
        name: TreeLearner(method, kinds.get(name)) for name, method in METHODS.items()
    }
    octh = TreeLearner(METHODS["octh"], kinds["octh"], "margin", WIDEST)
    ours["octh-margin"] = octh  # the objective says nothing about where hyperplanes lie
    ours["moctsvm-default"] = ChoosingLearner("MOCTSVM default", _moctsvm_default)
    products = TreeLearner(
        METHODS["class-tree"], kinds["class-tree"], "with products", most_columns=MAX_COLUMNS
    )
    ours["class-tree-products"] = products  # another grid
    outside = {name: OutsideLearner(reference) for name, reference in REFERENCES.items()}
    return ours | outside
