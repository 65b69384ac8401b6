"""The interface of a method: everything the rest of the package asks about a way to learn trees."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from inspect import signature
from typing import Any, ClassVar

from margintree._lib.arrays import FloatArray
from margintree._lib.exceptions import InvalidInputError
from margintree.core.cost import Cost
from margintree.core.limits import Limits
from margintree.core.problem import Problem
from margintree.core.result import Progress, Result
from margintree.core.simplify import simplify
from margintree.core.tree import ObliqueTree


class Method(ABC):
    """A way to learn trees: how it poses a problem, prices trees and searches for good ones.

    The estimators, exact solves, cost paths, cross-validation, the study, exports and reports use
    only this interface. A method has no state.

    Attributes
    ----------
    name : str
        Its short name in the study and in model files.
    label : str
        Its name in tables for people.
    terms : mapping of str to str
        The terms of its cost and, for each, the name of its price in `Costs`; an empty name if the
        term has no price. The first term counts errors.
    candidates : mapping of str to tuple
        The parameters that cross-validation chooses and their usual values, ``max_depth`` first;
        see `candidates_for`.
    ways : tuple of str
        The ways to solve a problem: its own search first, then ``"exact"`` if it has a formulation.
    formulation : object or None
        Its mixed-integer model, a `margintree.exact.programs.Formulation`.
    max_classes : int or None
        Maximum number of classes that it supports.
    has_margins : bool
        Whether it pays for the margins of its splits.
    sides_have_meaning : bool
        Whether left and right are not alike, so that the mirror image of a split is another one.
    explores_costs : bool
        Whether a path over many costs first searches some of them at length, and later returns to
        those for which a better tree was found. This pays if trees of one cost start the next.
    """

    name: ClassVar[str]
    label: ClassVar[str]
    terms: ClassVar[Mapping[str, str]]
    candidates: ClassVar[Mapping[str, tuple[Any, ...]]]
    ways: ClassVar[tuple[str, ...]] = ("search", "exact")
    formulation: ClassVar[Any] = None
    max_classes: ClassVar[int | None] = None
    has_margins: ClassVar[bool] = False
    sides_have_meaning: ClassVar[bool] = False
    explores_costs: ClassVar[bool] = False

    @abstractmethod
    def pose(self, problem: Problem, **parameters: Any) -> Problem:
        """Return the problem that the method's parameters define on a training set.

        Parameters
        ----------
        problem : Problem
            The training set; its costs and rules are ignored.
        **parameters
            ``max_depth`` and the method's own parameters, named as in its classifier.
        """

    @property
    def parameters(self) -> tuple[str, ...]:
        """The names of the parameters of `pose`."""
        return tuple(name for name in signature(self.pose).parameters if name != "problem")

    def candidates_for(
        self,
        n_classes: int,  # noqa: ARG002
        n_columns: int,  # noqa: ARG002
    ) -> Mapping[str, tuple[Any, ...]]:
        """Return the parameters that cross-validation chooses and their values."""
        return self.candidates

    def spaces_beyond(
        self,
        n_columns: int,  # noqa: ARG002
        n_rows: int,  # noqa: ARG002
    ) -> tuple[str, ...]:
        """Return the spaces that a choice with nothing set tries as well."""
        return ()

    @abstractmethod
    def judge(self, problem: Problem, tree: ObliqueTree) -> Cost:
        """Return the cost of a tree and the rules it breaks, computed from the tree alone."""

    @abstractmethod
    def search(
        self,
        problem: Problem,
        limits: Limits,
        starts: Sequence[ObliqueTree] = (),
        progress: Progress | None = None,
        shared: Any = None,
    ) -> Result:
        """Return the best tree that the method's own search finds.

        Parameters
        ----------
        problem : Problem
            The training set, its costs and rules.
        limits : Limits
            When to stop.
        starts : sequence of ObliqueTree
            Known trees, in the scaled space of the problem.
        progress : callable, optional
            Called with every better tree and bound.
        shared : object, optional
            The result of `share` for the same rows.
        """

    def start(
        self,
        problem: Problem,
        limits: Limits,
        starts: Sequence[ObliqueTree] = (),
        progress: Progress | None = None,
    ) -> Result:
        """Return the tree from which an exact solve starts; by default the result of the search."""
        return self.search(problem, limits, starts, progress)

    def share(self, problem: Problem, limits: Limits) -> Any:  # noqa: ARG002
        """Return data that searches at other costs can share; it depends on rows and depth only."""
        return None

    def get_ready(self, problem: Problem, limits: Limits) -> None:  # noqa: B027
        """Do work that must not count against a time limit, such as compiling kernels."""

    def bound(self, problem: Problem, shared: Any = None) -> float:  # noqa: ARG002
        """Return a lower bound on the cost of any tree; ``shared`` is the result of `share`."""
        return 0.0

    def proof_obstacle(self, problem: Problem) -> str:  # noqa: ARG002
        """Return why the native proof engine cannot take a problem, or an empty string."""
        return f"proves MOCTSVM trees only; {self.label} was given."

    def simplify(self, problem: Problem, tree: ObliqueTree) -> ObliqueTree:
        """Return a simpler tree whose cost is no higher."""
        return simplify(problem, tree)

    def simplify_within(
        self,
        problem: Problem,
        tree: ObliqueTree,
        seconds: float,  # noqa: ARG002
    ) -> ObliqueTree:
        """Return the result of `simplify`, or of a part of its work if there is no time for more.

        Searches ask for it with the time that they have left. Override it if `simplify` can take
        long.
        """
        return self.simplify(problem, tree)

    def last_moves(
        self,
        problem: Problem,  # noqa: ARG002
        tree: ObliqueTree,
        is_over: Callable[[], bool],  # noqa: ARG002
    ) -> ObliqueTree:
        """Return a tree that costs no more, by moves that are made once, at the end of a search."""
        return tree

    def finished(self, problem: Problem, tree: ObliqueTree) -> ObliqueTree:  # noqa: ARG002
        """Return the tree as people see it, with upright splits if mirror images are alike.

        Its cost and its leaves' rows are the same.
        """
        return tree if self.sides_have_meaning else tree.upright()

    def fitted_to(self, problem: Problem, tree: ObliqueTree) -> ObliqueTree:  # noqa: ARG002
        """Return a tree of other rows with thresholds that suit these rows, where that is quick."""
        return tree

    def averaged(
        self,
        rows: Problem,  # noqa: ARG002
        points: Sequence[Mapping[str, Any]],  # noqa: ARG002
        shares: FloatArray,  # noqa: ARG002
        best: Result,  # noqa: ARG002
    ) -> Result:
        """Return one tree that averages those of several parameters, the best of which is first."""
        raise InvalidInputError(
            f"Only class trees can be averaged, as last_fit='average' asks; {self.label} was "
            "given. Use ClassTreeClassifier, or last_fit='fresh'."
        )

    def in_terms(self, result: Result) -> Result:
        """Return the result with its tree over the terms of its space, as people see it.

        Margins, and so the cost of the tree, are those of the space of the problem.
        """
        if result.tree.scaling.mix is None:
            return result
        tree = result.tree.in_terms()
        return replace(result, tree=tree if self.sides_have_meaning else tree.upright())

    def path_key(self, problem: Problem) -> tuple[float, ...]:
        """Return the sort key of a problem on a path over many costs."""
        return (problem.max_splits, problem.costs.splits + problem.costs.features)

    def check_classes(self, n_classes: int) -> None:
        """Raise InvalidInputError if there are more classes than the method supports."""
        if self.max_classes is not None and n_classes > self.max_classes:
            # scikit-learn's checks look for these first words.
            raise InvalidInputError(
                f"Only binary classification is supported by {self.label}; {n_classes} classes "
                "were given. Use MOCTSVMClassifier, which takes any number."
            )
