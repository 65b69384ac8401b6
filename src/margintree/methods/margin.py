"""The common part of MOCTSVM and OCTSVM: costs, budgets, a routing margin, the margin search."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from margintree._lib.arrays import AnyArray
from margintree._lib.exceptions import InvalidInputError
from margintree.core.limits import Limits
from margintree.core.margin import MarginTerm, NormName
from margintree.core.method import Method
from margintree.core.problem import Costs, Problem
from margintree.core.result import Progress, Result
from margintree.core.tree import ObliqueTree

if TYPE_CHECKING:
    from margintree.search.margin import Parts, Shared
    from margintree.search.margin.kernel_data import MakeKernelData
    from margintree.search.margin.linear_fit import Wishes


class MarginMethod(Method):
    """Base of the methods whose splits are maximum-margin hyperplanes."""

    has_margins = True
    explores_costs = True

    def pose(  # type: ignore[override]
        self,
        problem: Problem,
        *,
        max_depth: int,
        c1: float,
        c2: float,
        c3: float,
        c4: float = 0.0,
        min_samples_leaf: float = 0,
        max_splits: int | None = None,
        max_features_per_split: int | None = None,
        max_features: int | None = None,
        feature_costs: AnyArray | None = None,
        feature_groups: AnyArray | None = None,
        routing_margin: float = 1e-3,
        margin_term: MarginTerm = "squared",
        norm: NormName = "l2",
        error_costs: AnyArray | None = None,
        space: str = "box",
    ) -> Problem:
        """Return the problem of a training set with this depth and these costs and rules.

        In a quadratic space every product of columns is a feature of its own: a split may use it
        without its columns. It costs as much as its columns together, and its group is the pair of
        their groups.
        """
        self.check_classes(problem.n_classes)
        seen = problem.in_space(space)
        if seen.scaling.mix is not None:
            counts_features = bool(c4) or (max_features_per_split, max_features) != (None, None)
            _check_mixed(space, counts_features, norm)
        factors = seen.scaling.feature_factors(feature_costs)
        posed = replace(
            seen,
            depth=max_depth,
            costs=replace(self.costs(c1, c2, c3), features=c4, by_feature=factors),
            routing_margin=routing_margin,
            margin_term=margin_term,
            norm=norm,
            error_costs=problem.error_costs if error_costs is None else error_costs,
        )
        return posed.with_rules(
            min_samples_leaf,
            max_splits,
            max_features_per_split=max_features_per_split,
            max_features=max_features,
            feature_groups=seen.scaling.feature_groups(feature_groups),
        )

    def costs(self, c1: float, c2: float, c3: float) -> Costs:
        """Return the costs by their meaning."""
        return Costs(errors=c1, violations=c2, splits=c3)

    def search(
        self,
        problem: Problem,
        limits: Limits,
        starts: Sequence[ObliqueTree] = (),
        progress: Progress | None = None,
        shared: "Shared | None" = None,
        parts: "Parts | None" = None,
    ) -> Result:
        """Return the best tree that the margin search finds; ``parts`` are its starts and kicks."""
        # Kernels are loaded only when they are needed.
        from margintree.search.margin import search_in_norm, search_margin_trees

        data = self._make_data()
        if problem.norm != "l2":
            return search_in_norm(
                self,
                problem,
                limits,
                starts,
                progress,
                make_data=data,
                wishes=self._wishes(),
                shared=shared,
                parts=parts,
            )
        return search_margin_trees(
            self, problem, limits, starts, progress, make_data=data, shared=shared, parts=parts
        )

    def _make_data(self) -> "MakeKernelData":
        from margintree.search.margin.kernel_data import make_kernel_data

        return make_kernel_data

    def _wishes(self) -> "Wishes":
        from margintree.search.margin.linear_fit import as_routed

        return as_routed

    def rounded(
        self,
        problem: Problem,
        tree: ObliqueTree,
        points: int,
        is_over: Callable[[], bool] = lambda: False,
    ) -> ObliqueTree:
        """Return the tree with whole points; see `margintree.search.margin.points.rounded`."""
        from margintree.search.margin.points import rounded

        finished = self.finished(problem, tree)
        return rounded(problem, finished, points, self._make_data(), is_over)

    def fitted_to(self, problem: Problem, tree: ObliqueTree) -> ObliqueTree:
        """Return the tree with the best intercepts; see `with_best_intercepts`."""
        from margintree.search.margin.intercepts import with_best_intercepts

        if problem.norm != "l2":
            return tree
        return with_best_intercepts(problem, tree, self._make_data())

    def share(self, problem: Problem, limits: Limits) -> Any:
        """Return inner products, groupings and close pairs, unless the search will use samples."""
        from margintree.search.margin import share
        from margintree.search.margin.many_rows import MANY_ROWS

        return share(problem, limits.seed) if problem.n_rows <= MANY_ROWS else None

    def get_ready(self, problem: Problem, limits: Limits) -> None:
        """Compile the kernels that the search needs."""
        from margintree.search.margin import get_ready

        get_ready(problem, limits, self._make_data())

    def path_key(self, problem: Problem) -> tuple[float, ...]:
        """Put expensive errors first: trees with many splits are easier to prune than to grow.

        At equal costs many features come first, and then fewer and fewer.
        """
        costs = problem.costs
        budgets = -problem.max_features_per_split, -problem.max_features
        return -costs.errors, costs.splits, costs.violations, costs.features, *budgets


def _check_mixed(space: str, counts_features: bool, norm: NormName) -> None:
    """Raise InvalidInputError if single features of a mixed space shall have a meaning."""
    if counts_features:
        raise InvalidInputError(
            "Budgets and prices of features need a space whose features are columns or "
            f"products of columns, 'box' or 'quadratic'; space={space!r} was given. Use one of "
            "these, or leave c4, max_features_per_split and max_features out."
        )
    if norm != "l2":
        raise InvalidInputError(
            f"norm={norm!r} measures the weights of features one by one, so it needs a space "
            "whose features are columns or products of columns, 'box' or 'quadratic'; "
            f"space={space!r} was given. Use one of these, or norm='l2'."
        )
