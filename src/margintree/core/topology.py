"""The complete binary tree as index arithmetic.

Nodes are numbered as in the paper: the root is 1, the children of ``t`` are ``2t`` (left) and
``2t + 1`` (right). A tree of depth ``D`` has branch nodes ``1 .. 2**D - 1`` and leaves
``2**D .. 2**(D+1) - 1``. Arrays over branch nodes are indexed by ``t - 1``, arrays over leaves by
``t - 2**D``.

Examples
--------
>>> list(branch_nodes(2)), list(leaves(2))
([1, 2, 3], [4, 5, 6, 7])
>>> parent(5), left(2), right(2), sibling(5)
(2, 4, 5, 4)
"""

from collections.abc import Iterator


def n_branch_nodes(depth: int) -> int:
    """Return the number of branch nodes of a tree of this depth."""
    return (1 << depth) - 1


def n_leaves(depth: int) -> int:
    """Return the number of leaves of a tree of this depth."""
    return 1 << depth


def n_nodes(depth: int) -> int:
    """Return the number of nodes, branch nodes and leaves, of a tree of this depth."""
    return (2 << depth) - 1


def branch_nodes(depth: int) -> range:
    """Return the branch nodes, root first."""
    return range(1, 2**depth)


def leaves(depth: int) -> range:
    """Return the leaves, leftmost first."""
    return range(2**depth, 2 ** (depth + 1))


def level(u: int) -> range:
    """Return the nodes of level ``u``; the root alone is level 0."""
    return range(2**u, 2 ** (u + 1))


def left(t: int) -> int:
    """Return the left child of ``t``."""
    return 2 * t


def right(t: int) -> int:
    """Return the right child of ``t``."""
    return 2 * t + 1


def parent(t: int) -> int:
    """Return the parent of ``t``."""
    return t // 2


def sibling(t: int) -> int:
    """Return the other child of the parent of ``t``."""
    return t ^ 1


def is_right_child(t: int) -> bool:
    """Tell whether ``t`` is the right child of its parent."""
    return t % 2 == 1


def depth_of(t: int) -> int:
    """Return the level of ``t``; the root is on level 0."""
    return t.bit_length() - 1


def ancestors(t: int) -> Iterator[int]:
    """Yield the proper ancestors of ``t``, its parent first, the root last.

    Examples
    --------
    >>> list(ancestors(13))
    [6, 3, 1]
    """
    while t > 1:
        t = parent(t)
        yield t


def subtree(t: int, depth: int) -> Iterator[int]:
    """Yield ``t`` and all nodes below it in a tree of this depth, level by level.

    Examples
    --------
    >>> list(subtree(3, 2))
    [3, 6, 7]
    """
    first, width = t, 1
    while first < 2 ** (depth + 1):
        yield from range(first, first + width)
        first, width = left(first), 2 * width
