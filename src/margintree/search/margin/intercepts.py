"""Best intercepts for a tree of other rows, whose splits may run too close to some of these."""

from margintree.core.problem import Problem
from margintree.core.tree import ObliqueTree
from margintree.search.margin.kernel_data import NO_GRAM, MakeKernelData, make_kernel_data
from margintree.search.margin.many_rows import Each, Refiner


def with_best_intercepts(
    problem: Problem,
    tree: ObliqueTree,
    make_data: MakeKernelData = make_kernel_data,
    each: Each = map,
) -> ObliqueTree:
    """Return a tree with the same directions whose intercepts and norm fit the rows of a problem.

    Splits are moved one after the other, lowest first. A tree from a sample nearly always has some
    of the other rows within the routing margin, and such a tree is never kept. One pass over the
    rows takes little time. A split without an allowed intercept stays as it is, so judge the tree.
    It is for the norm "l2".

    Examples
    --------
    >>> problem = Problem.from_data([[0.0], [0.4], [1.0]], [0, 0, 1], n_classes=2, depth=1)
    >>> tree = ObliqueTree.stump([4.0], -1.6, leaf_classes=[0, 1], n_classes=2)
    >>> moved = with_best_intercepts(problem, tree)
    >>> tree.split_values(problem.X).round(3).ravel().tolist()
    [-1.6, 0.0, 2.4]
    >>> moved.split_values(problem.X).round(3).ravel().tolist()
    [-1.0, -0.467, 0.333]
    """
    refiner = Refiner(problem, make_data(problem, NO_GRAM), tree, each=each)
    refiner.sweep(turns=False)
    return refiner.tree()
