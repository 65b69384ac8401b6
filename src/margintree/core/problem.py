"""The problem to solve: scaled rows, encoded labels, weights, depth and costs, checked once."""

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, TypeVar

import numpy as np

from margintree._lib.arrays import FloatArray, IntArray, product
from margintree._lib.exceptions import InvalidInputError
from margintree.core import topology
from margintree.core.learnt_space import learnt_space
from margintree.core.margin import MARGINS, NORMS, MarginTerm, NormName
from margintree.core.rules import Rules, least_mass_of, used_groups
from margintree.core.space import Space

MAX_DEPTH = 10
"""The largest depth allowed; a complete binary tree of this depth has 1,023 branch nodes."""

PRICES = (("c1", "errors"), ("c2", "violations"), ("c3", "splits"), ("c4", "features"))
"""The prices by the names of their parameters and their meaning."""

_Norm = TypeVar("_Norm", float, FloatArray)


@dataclass(frozen=True)
class Costs:
    """The prices of a tree: per error, unit of margin violation, split and feature of a split.

    They are called c1, c2, c3 and c4. A feature that two splits use is paid twice, because c4 is
    the price of what a person has to read. ``by_feature`` holds factors on c4, one per feature, for
    features that are dearer than others; a group of features costs as much as its dearest one.

    Examples
    --------
    >>> costs = Costs(errors=10.0, violations=1.0, splits=0.1, features=0.5)
    >>> costs.errors, costs.features
    (10.0, 0.5)
    """

    errors: float = 1.0
    violations: float = 1.0
    splits: float = 0.1
    features: float = 0.0
    by_feature: tuple[float, ...] | None = None

    def __post_init__(self) -> None:
        for letter, name in PRICES:
            value = getattr(self, name)
            if not (np.isfinite(value) and value >= 0):
                raise InvalidInputError(
                    f"{letter} (cost of {name}) must be a finite number of at least 0; {value!r} "
                    "was given."
                )


@dataclass(frozen=True, eq=False)
class Problem:
    """A training set with everything that decides the cost of a tree.

    Use `Problem.from_data` to make one from raw rows.

    Attributes
    ----------
    X : ndarray of shape (n, p)
        The training rows in the space of the splits, by default scaled to [0, 1].
    y : int ndarray of shape (n,)
        The class of every row as a code ``0 .. K-1``.
    row_weights : ndarray of shape (n,)
        Positive weights; they multiply the error and violation terms of their row.
    n_classes : int
        The number of classes K.
    depth : int
        The depth D of the tree.
    costs : Costs
        The costs of errors, violations, splits and features.
    routing_margin : float
        Every training row keeps ``|f_t(x)| >= routing_margin`` in every splitting node it visits.
    margin_term : {"squared", "plain"}
        Whether the margin term is ``||w||**2 / 2`` or ``||w|| / 2``.
    norm : {"l2", "l1", "linf"}
        The norm ``||w||`` of the margin term.
    error_costs : ndarray of shape (K, K)
        Entry ``(k, l)`` is the price, in units of c1, of predicting class l for a row of class k.
    planes : {"centred", "margin"}
        Where the hyperplanes of OCT-H lie among those with the same routing; see `OCTHClassifier`.
    scaling : Space
        The map from raw rows to the rows of ``X``.
    rules : Rules
        The rules that a tree must keep.

    Examples
    --------
    >>> import numpy as np
    >>> problem = Problem.from_data([[1.0], [2.0], [4.0]], [0, 0, 1], n_classes=2, depth=1)
    >>> problem.X.ravel().round(3)
    array([0.   , 0.333, 1.   ])
    """

    X: FloatArray
    y: IntArray
    row_weights: FloatArray
    n_classes: int
    depth: int
    costs: Costs
    routing_margin: float
    margin_term: MarginTerm
    error_costs: FloatArray
    scaling: Space
    rules: Rules = field(default_factory=Rules)
    planes: str = "centred"
    norm: NormName = "l2"

    def __post_init__(self) -> None:
        for name in ("X", "y", "row_weights", "error_costs"):
            getattr(self, name).setflags(write=False)
        _check(self)

    @classmethod
    def from_data(
        cls,
        X: Any,
        y: Any,
        *,
        n_classes: int,
        depth: int,
        costs: Costs | None = None,
        row_weights: Any = None,
        routing_margin: float = 1e-3,
        margin_term: MarginTerm = "squared",
        error_costs: Any = None,
    ) -> "Problem":
        """Return the problem of raw rows.

        Rows of weight zero are left out. Rows with equal features and labels become one row with
        the sum of their weights, and rows are sorted in lexicographic order. So neither the order
        of the rows nor a copy in place of a weight changes the problem.
        """
        X = np.asarray(X, dtype=np.float64)
        y = np.asarray(y, dtype=np.int64)
        weights = np.ones(len(X)) if row_weights is None else np.asarray(row_weights, dtype=float)
        if X.ndim != 2 or y.shape != (len(X),) or weights.shape != (len(X),):
            raise InvalidInputError(
                "X must be a table, and y and the weights must be vectors with one entry per row; "
                f"the shapes are {X.shape}, {y.shape} and {weights.shape}."
            )
        X, y, weights = merged_rows(X, y, weights)
        if not len(X):
            raise InvalidInputError(
                "At least one row with a positive weight is needed; there is none. "
                "Give rows, and weights above 0."
            )
        scaling = Space.learn(X)
        too_wide = np.flatnonzero(~np.isfinite(scaling.span))
        if len(too_wide):
            raise InvalidInputError(
                f"Feature {too_wide[0]} spans more than a floating-point number can hold. "
                "Rescale or drop that column."
            )
        if error_costs is None:
            error_costs = 1.0 - np.eye(n_classes)
        return cls(
            X=np.ascontiguousarray(scaling.apply(X)),
            y=y,
            row_weights=weights,
            n_classes=n_classes,
            depth=depth,
            costs=Costs() if costs is None else costs,
            routing_margin=routing_margin,
            margin_term=margin_term,
            error_costs=np.array(error_costs, dtype=float),
            scaling=scaling,
        )

    def in_space(self, space: str) -> "Problem":
        """Return the same problem, now in the unit box, in another space; see `SPACES`.

        Examples
        --------
        >>> problem = Problem.from_data([[0.0], [1.0]], [0, 1], n_classes=2, depth=1)
        >>> problem.in_space("quadratic").X
        array([[0. , 0.5],
               [1. , 0.5]])
        """
        if space not in self._in_spaces:
            scaling = learnt_space(space, self.scaling, self.X, self.y, self.row_weights)
            X = np.ascontiguousarray(scaling.features_of(self.X))
            self._in_spaces[space] = replace(self, X=X, scaling=scaling)
        return self._in_spaces[space]

    @cached_property
    def _in_spaces(self) -> dict[str, "Problem"]:
        """The spaces that were learnt, so that a path of many costs learns each of them once."""
        return {}

    def with_rules(
        self,
        min_samples_leaf: float = 0,
        max_splits: int | None = None,
        *,
        axis_parallel: bool = False,
        separation: float = 0.0,
        max_features_per_split: int | None = None,
        max_features: int | None = None,
        feature_groups: Any = None,
    ) -> "Problem":
        """Return the same problem with rules.

        Parameters
        ----------
        min_samples_leaf : int or float, default 0
            Minimum weight of a leaf: an integer is a weight, a float a share of the training
            weight.
        max_splits : int, optional
            Maximum number of splits; by default as many as the depth allows.
        axis_parallel : bool, default False
            Whether every split may use only one feature.
        separation : float, default 0
            Minimum distance between the two sides of a split; see `Rules`.
        max_features_per_split, max_features : int, optional
            Maximum number of features of a split, and of the whole tree; by default all.
        feature_groups : array-like of int of shape (p,), optional
            A number for every feature. Features of one number count once, as the features that come
            from one column of a table should. By default every feature counts.

        Examples
        --------
        >>> problem = Problem.from_data([[0.0], [1.0]], [0, 1], n_classes=2, depth=1)
        >>> problem.with_rules(max_splits=0).rules.max_splits
        0
        """
        if max_splits is not None and max_splits < 0:
            raise InvalidInputError(
                f"max_splits must be at least 0, or None for as many splits as the depth allows; "
                f"{max_splits!r} was given."
            )
        for name, most in (
            ("max_features_per_split", max_features_per_split),
            ("max_features", max_features),
        ):
            if most is not None and most < 1:
                raise InvalidInputError(
                    f"{name} must be at least 1, or None for all features; {most!r} was given."
                )
        rules = Rules(
            least_mass_of(min_samples_leaf, float(self.row_weights.sum())),
            max_splits,
            axis_parallel,
            separation,
            max_features_per_split,
            max_features,
            self._checked_groups(feature_groups),
        )
        return replace(self, rules=rules)

    def _checked_groups(self, groups: Any) -> tuple[int, ...] | None:
        """Return the groups of features, numbered from 0; None if every one is a single feature."""
        if groups is None:
            return None
        numbers = np.asarray(groups)
        if numbers.shape != (self.n_features,):
            raise InvalidInputError(
                f"feature_groups must hold one number for each of the {self.n_features} features; "
                f"its shape is {numbers.shape}."
            )
        known, codes = np.unique(numbers, return_inverse=True)
        return None if len(known) == self.n_features else tuple(codes.tolist())

    @property
    def max_splits(self) -> int:
        """The maximum number of splits of a tree."""
        return self.rules.most_splits(self.depth)

    @cached_property
    def feature_groups(self) -> IntArray:
        """The group of every feature; a group counts as one feature."""
        return self.rules.groups(self.n_features)

    @cached_property
    def feature_prices(self) -> FloatArray:
        """The price of using each group of features in a split."""
        prices = np.zeros(int(self.feature_groups.max(initial=-1)) + 1)
        factors = self.costs.by_feature
        np.maximum.at(prices, self.feature_groups, 1.0 if factors is None else np.array(factors))
        return np.asarray(self.costs.features * prices)

    @property
    def max_features_per_split(self) -> int:
        """The maximum number of groups of features in a split."""
        given, most = self.rules.max_features_per_split, self.max_features
        return most if given is None else min(given, most)

    @property
    def max_features(self) -> int:
        """The maximum number of groups of features in the tree."""
        given, most = self.rules.max_features, len(self.feature_prices)
        return most if given is None else min(given, most)

    @property
    def counts_features(self) -> bool:
        """Whether a rule or a price keeps splits from using all features."""
        is_free = not self.feature_prices.any()
        return not is_free or self.max_features_per_split < len(self.feature_prices)

    def price_of_features(self, weights: FloatArray) -> FloatArray:
        """Return the price of the features that each hyperplane uses."""
        return product(used_groups(weights, self.feature_groups).astype(float), self.feature_prices)

    @property
    def n_rows(self) -> int:
        """The number of distinct training rows."""
        return int(self.X.shape[0])

    @property
    def n_features(self) -> int:
        """The number of features."""
        return int(self.X.shape[1])

    @cached_property
    def error_prices(self) -> FloatArray:
        """The price, of shape (n, K), of predicting each class for each row, with weight and c1."""
        prices: FloatArray = self.costs.errors * self.error_costs[self.y]
        return prices * self.row_weights[:, None]

    def class_mass(self, rows: Any = slice(None)) -> FloatArray:
        """Return the total weight of every class among the given rows."""
        mass = np.bincount(self.y[rows], weights=self.row_weights[rows], minlength=self.n_classes)
        return np.asarray(mass, dtype=np.float64)

    def margin_price(self, norm: _Norm) -> _Norm:
        """Return the margin term of a norm, or of an array of norms.

        Examples
        --------
        >>> problem = Problem.from_data([[0.0], [1.0]], [0, 1], n_classes=2, depth=1)
        >>> problem.margin_price(2.0), problem.margin_price(np.array([0.0, 2.0]))
        (2.0, array([0., 2.]))
        """
        price: _Norm = MARGINS[self.margin_term].price(norm)
        return price

    def norms_of(self, weights: FloatArray) -> FloatArray:
        """Return the norm of every hyperplane, given its weights as rows."""
        return NORMS[self.norm].of(weights)

    def distances(self, differences: FloatArray) -> FloatArray:
        """Return the lengths of differences between rows, in the dual of the norm."""
        return NORMS[self.norm].distance(differences)

    def norm_at_price(self, price: float) -> float:
        """Return the largest norm whose margin term is at most ``price``."""
        return MARGINS[self.margin_term].norm_at(price)


def merged_rows(
    X: FloatArray, y: IntArray, weights: FloatArray
) -> tuple[FloatArray, IntArray, FloatArray]:
    """Return the distinct rows of positive weight in lexicographic order, with summed weights."""
    is_right = np.isfinite(weights) & (weights >= 0)
    if not is_right.all():
        raise InvalidInputError(
            f"Weights must be finite and at least 0; {weights[~is_right][0]} was given. "
            "Remove the rows or correct the weights."
        )
    used = weights > 0
    X, y, weights = X[used] + 0.0, y[used], weights[used]  # -0.0 becomes 0.0, which it equals
    if not np.isfinite(X).all():
        raise InvalidInputError(
            "Features must be finite numbers; NaN or infinity was found. Fill or drop those cells."
        )
    order = np.lexsort((weights, y, *X.T[::-1])) if X.size else np.arange(len(X))
    X, y, weights = X[order], y[order], weights[order]
    is_new = np.ones(len(X), dtype=bool)
    is_new[1:] = (X[1:] != X[:-1]).any(axis=1) | (y[1:] != y[:-1])
    first = np.flatnonzero(is_new)
    total = np.add.reduceat(weights, first) if len(first) else weights
    return X[first], y[first], total


def _check(problem: Problem) -> None:
    """Raise InvalidInputError unless the parameters of the problem make sense."""
    depth, margin = problem.depth, problem.routing_margin
    if not 1 <= depth <= MAX_DEPTH:
        raise InvalidInputError(f"The depth must lie in 1..{MAX_DEPTH}; {depth!r} was given.")
    if not 0 < margin < 1:
        raise InvalidInputError(
            f"routing_margin must lie strictly between 0 and 1; {margin!r} was given. "
            "Without it a row on a hyperplane could go to either side."
        )
    if problem.margin_term not in MARGINS:
        raise InvalidInputError(
            f"margin_term must be one of {[*MARGINS]}; {problem.margin_term!r} was given."
        )
    if problem.norm not in NORMS:
        raise InvalidInputError(f"norm must be one of {[*NORMS]}; {problem.norm!r} was given.")
    if len(problem.y) and not 0 <= problem.y.min() <= problem.y.max() < problem.n_classes:
        raise InvalidInputError(f"Class codes must lie in 0..{problem.n_classes - 1}.")
    _check_error_costs(problem.error_costs, problem.n_classes)
    _check_feature_costs(problem.costs.by_feature, problem.n_features)


def _check_error_costs(error_costs: FloatArray, n_classes: int) -> None:
    if error_costs.shape != (n_classes, n_classes):
        raise InvalidInputError(
            f"error_costs must be a square matrix over the {n_classes} classes; its shape is "
            f"{error_costs.shape}. Give one row and one column for each class."
        )
    if not np.isfinite(error_costs).all() or (error_costs < 0).any() or np.diag(error_costs).any():
        raise InvalidInputError(
            "error_costs must be finite, at least 0, and 0 on the diagonal, because predicting the "
            f"right class is free; {error_costs.tolist()!r:.100} was given. Correct it."
        )


def _check_feature_costs(factors: tuple[float, ...] | None, n_features: int) -> None:
    if factors is None:
        return
    if len(factors) != n_features or not (np.isfinite(factors).all() and min(factors) >= 0):
        raise InvalidInputError(
            f"feature_costs must hold one finite number of at least 0 for each of the {n_features} "
            f"features; {[*factors]!r:.100} was given. Correct it."
        )


def can_name_all_classes(n_classes: int, depth: int) -> bool:
    """Tell whether a tree of this depth has a leaf for every class."""
    return n_classes <= topology.n_leaves(depth)
