"""Switches that strengthen the literal model, and the form of a tree that they demand."""

from collections.abc import Collection
from dataclasses import dataclass, fields

from margintree._lib.exceptions import InvalidInputError
from margintree.core.problem import Problem
from margintree.core.simplify import Visit, rearrange, remove_empty_sides, simplify
from margintree.core.tree import ObliqueTree


@dataclass(frozen=True)
class Strengthening:
    """The parts that strengthen the model, each with its own switch.

    All except the last two keep at least one optimal tree, so they never change the optimum.

    Attributes
    ----------
    project_variables : bool
        Leave out alpha and h, because the children's z determine them.
    classwise_c8 : bool
        C8 uses a largest price of errors for each class instead of one for all classes.
    rowwise_c6 : bool
        C6c and C6d are stated for every row instead of for the sum of the rows.
    rowwise_c8 : bool
        Errors are counted for every row and leaf instead of for every leaf.
    rowwise_r : bool
        A row violates the margin of a node only if it is in the node and the node splits.
    sibling_classes : bool
        Two leaves below one split predict different classes.
    flip_symmetry : bool
        The first row of every branch node goes left, and so does everything in an idle node.
    no_idle_parent : bool
        A child splits only if its parent does.
    label_used_leaves : bool
        A leaf has a class only if some row can reach it. Needs flip_symmetry and no_idle_parent.
    useful_leaves : bool
        Both leaves below a split classify enough rows correctly to pay for the split.
    pair_margins : bool
        Two close rows of different classes pay wherever they are separated. Needs rowwise_c8.
    every_class_owns_leaf : bool
        Heuristic of the paper: every class is the class of some leaf. Can cut off the optimum.
    cluster_fixing : bool
        Heuristic of the paper: a dense cluster goes to the first leaf, and the rows around the
        point farthest from it go to the last leaf. Can cut off the optimum.

    Examples
    --------
    >>> Strengthening.none().flip_symmetry, Strengthening.default().flip_symmetry
    (False, True)
    """

    project_variables: bool = True
    classwise_c8: bool = True
    rowwise_c6: bool = True
    rowwise_c8: bool = True
    rowwise_r: bool = True
    sibling_classes: bool = True
    flip_symmetry: bool = True
    no_idle_parent: bool = True
    label_used_leaves: bool = True
    useful_leaves: bool = True
    pair_margins: bool = True
    every_class_owns_leaf: bool = False
    cluster_fixing: bool = False

    def __post_init__(self) -> None:
        if self.label_used_leaves and not (self.flip_symmetry and self.no_idle_parent):
            raise InvalidInputError(
                "label_used_leaves needs flip_symmetry and no_idle_parent, which say which leaves "
                "are used; at least one of them is off. Switch them on or this one off."
            )
        if self.pair_margins and not self.rowwise_c8:
            raise InvalidInputError(
                "pair_margins needs rowwise_c8, which says whether a row is predicted right; it is "
                "off. Switch it on or this one off."
            )
        if self.cluster_fixing and self.flip_symmetry:
            raise InvalidInputError(
                "cluster_fixing and flip_symmetry both send rows to a side and may contradict each "
                "other; both are on. Switch one of them off."
            )

    @classmethod
    def none(cls) -> "Strengthening":
        """Return the strengthening of the literal model: everything is off."""
        return cls.of(())

    @classmethod
    def of(cls, names: Collection[str]) -> "Strengthening":
        """Return the strengthening with exactly these parts switched on."""
        return cls(**{field.name: field.name in names for field in fields(cls)})

    @property
    def orders_classes(self) -> bool:
        """Whether the smaller class goes left where a split is above two leaves.

        The two classes must differ, and a leaf that no row can reach must not need a class.
        """
        return self.flip_symmetry and self.sibling_classes and self.label_used_leaves

    @property
    def names(self) -> frozenset[str]:
        """The names of the parts that are switched on."""
        return frozenset(field.name for field in fields(self) if getattr(self, field.name))

    @classmethod
    def default(cls) -> "Strengthening":
        """Return the strengthening that was fastest in measurements."""
        return cls()


def canonical(problem: Problem, tree: ObliqueTree, strengthening: Strengthening) -> ObliqueTree:
    """Return an equivalent or cheaper tree in the form that the strengthening demands.

    The literal model takes every tree, except that splits with an empty side become idle. A
    strengthening that removes useless or mirrored trees takes simple trees only.
    """
    wants_simple = (
        strengthening.no_idle_parent
        or strengthening.sibling_classes
        or strengthening.label_used_leaves
        or strengthening.useful_leaves
    )
    tree = simplify(problem, tree) if wants_simple else remove_empty_sides(problem, tree)
    if not strengthening.flip_symmetry:
        return tree
    return flipped(problem, tree, by_class=strengthening.orders_classes)


def flipped(problem: Problem, tree: ObliqueTree, by_class: bool) -> ObliqueTree:
    """Return the tree flipped so that the first row of every branch node goes left.

    With ``by_class``, the smaller class goes left above two leaves instead.
    """
    n_leaves = len(tree.leaf_classes)

    def is_wrong(visit: Visit) -> bool:
        if not (by_class and visit.divides and visit.node >= n_leaves // 2):
            return visit.first_goes_right
        left, right = tree.leaf_classes[[2 * visit.node - n_leaves, 2 * visit.node + 1 - n_leaves]]
        return bool(left > right)

    return rearrange(problem, tree, flips=is_wrong)
