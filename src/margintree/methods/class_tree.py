"""Class trees: one leaf per class, and splits that know the labels."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar

from margintree._lib.arrays import FloatArray
from margintree.core.class_tree import with_best_leaves
from margintree.core.cost import Cost
from margintree.core.judges import price_classes
from margintree.core.learnt_space import LEVELS, MAX_COLUMNS
from margintree.core.limits import Limits
from margintree.core.method import Method
from margintree.core.problem import Costs, Problem
from margintree.core.result import Progress, Reason, Result
from margintree.core.simplify import with_leaf_mass
from margintree.core.tree import ObliqueTree
from margintree.exact.programs import class_tree


class ClassTree(Method):
    """A hierarchy of the classes whose splits are support vector machines."""

    name = "class-tree"
    label = "Class tree"
    terms: ClassVar[Mapping[str, Any]] = {"violations": "violations", "margins": ""}
    candidates: ClassVar[Mapping[str, Any]] = {
        "max_depth": (10,),
        "C": (0.1, 1.0, 10.0, 100.0, 1000.0),
    }
    formulation = class_tree.FORMULATION
    has_margins = True

    def candidates_for(
        self,
        n_classes: int,  # noqa: ARG002
        n_columns: int,
    ) -> Mapping[str, tuple[Any, ...]]:
        """Return costs and spaces; products only of columns that are not too many for them."""
        most = 0 if n_columns > MAX_COLUMNS else 1
        spaces = tuple(name for name, level in LEVELS.items() if level <= most)
        return {**self.candidates, "space": spaces}

    def pose(  # type: ignore[override]
        self,
        problem: Problem,
        *,
        max_depth: int,
        C: float = 1.0,
        space: str = "box",
        min_samples_leaf: float = 0,
        max_splits: int | None = None,
    ) -> Problem:
        """Return the problem in a space in which a unit of margin violation costs ``C``."""
        costs = Costs(errors=0.0, violations=C, splits=0.0)
        seen = problem.in_space(space)
        posed = replace(seen, depth=max_depth, costs=costs, margin_term="squared", norm="l2")
        return posed.with_rules(min_samples_leaf, max_splits)

    def judge(self, problem: Problem, tree: ObliqueTree) -> Cost:
        """Return the violations and margins of a tree."""
        return price_classes(problem, tree)

    def simplify(self, problem: Problem, tree: ObliqueTree) -> ObliqueTree:
        """Return the tree whose leaves name the classes that cost least there."""
        return with_best_leaves(problem, tree)

    def search(
        self,
        problem: Problem,
        limits: Limits,
        starts: Sequence[ObliqueTree] = (),
        progress: Progress | None = None,
        shared: Any = None,  # noqa: ARG002
    ) -> Result:
        """Return the best tree: proved for ten classes or fewer."""
        # Kernels are loaded only when they are needed.
        from margintree.search.classes.engine import search_class_trees

        return search_class_trees(self, problem, limits, starts, progress)

    def averaged(
        self, rows: Problem, points: Sequence[Mapping[str, Any]], shares: FloatArray, best: Result
    ) -> Result:
        """Return a tree with the hierarchy of the best one and averages of all hyperplanes.

        It minimises no single objective. Its cost is that of the first point over all terms.
        Hyperplanes of kernels, whose terms differ, stay as they are.
        """
        from margintree.search.classes.averaging import averaged_tree

        problems = [self.pose(rows, **point) for point in points]
        if problems[0].scaling.likeness is not None:
            return best
        has_products = any(problem.scaling.has_products for problem in problems)
        space = {"space": "quadratic" if has_products else "box"}
        problem = self.pose(rows, **{**points[0], **space})
        tree = averaged_tree(problems, shares, best.tree, problem.scaling)
        tree = self.finished(problem, with_leaf_mass(problem, tree))
        reason = Reason.FINISHED if best.reason is Reason.OPTIMAL else best.reason
        return replace(best, tree=tree, cost=self.judge(problem, tree), bound=0.0, reason=reason)
