"""The fitted tree as data: frozen arrays and everything that follows from them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
from scipy import sparse

from margintree._lib.arrays import BoolArray, FloatArray, IntArray, frozen, product
from margintree._lib.exceptions import InvalidInputError
from margintree.core import topology
from margintree.core.quadratic import Quadratic
from margintree.core.space import Space

_BLOCK_ROWS = 8192
"""Rows per block: few enough that the split values of a deep tree stay small."""


def row_blocks(n_rows: int) -> Iterator[slice]:
    """Yield slices that cover all rows, a bounded number of rows at a time."""
    for start in range(0, n_rows, _BLOCK_ROWS):
        yield slice(start, start + _BLOCK_ROWS)


@dataclass(frozen=True, eq=False)
class ObliqueTree:
    """A complete binary tree whose branch nodes carry hyperplanes.

    Branch node ``t`` carries ``f_t(x) = weights[t-1] @ x + intercepts[t-1]``. A point with
    ``f_t(x) >= 0`` goes right, otherwise left. A branch node that does not split has zero weights
    and intercept -1, so everything goes left.

    Attributes
    ----------
    weights : ndarray of shape (2**D - 1, p)
        The normal vectors of the hyperplanes, in the scaled space.
    intercepts : ndarray of shape (2**D - 1,)
        The intercepts of the hyperplanes, in the scaled space.
    splits : bool ndarray of shape (2**D - 1,)
        Which branch nodes really divide.
    leaf_classes : int ndarray of shape (2**D,)
        The class, as a code ``0 .. K-1``, that each leaf predicts.
    leaf_mass : ndarray of shape (2**D, K)
        The training weight of every class that arrives at each leaf.
    scaling : Space
        The map from raw features to the space in which the hyperplanes live.

    Examples
    --------
    >>> import numpy as np
    >>> tree = ObliqueTree.stump([2.0, 0.0], -1.0, leaf_classes=[0, 1], n_classes=2)
    >>> tree.predict(np.array([[0.2, 0.9], [0.8, 0.1]]))
    array([0, 1])
    """

    weights: FloatArray
    intercepts: FloatArray
    splits: BoolArray
    leaf_classes: IntArray
    leaf_mass: FloatArray
    scaling: Space

    def __post_init__(self) -> None:
        for name, dtype in _ARRAYS.items():
            object.__setattr__(self, name, frozen(getattr(self, name), dtype))
        _check(self)

    @classmethod
    def leaf(cls, depth: int, n_features: int, n_classes: int, label: int = 0) -> "ObliqueTree":
        """Return the tree without splits that predicts ``label`` everywhere."""
        n_branch = topology.n_branch_nodes(depth)
        return cls(
            np.zeros((n_branch, n_features)),
            np.full(n_branch, -1.0),
            np.zeros(n_branch, dtype=bool),
            np.full(topology.n_leaves(depth), label),
            np.zeros((topology.n_leaves(depth), n_classes)),
            Space.identity(n_features),
        )

    @classmethod
    def stump(
        cls, weights: Any, intercept: float, leaf_classes: Any, n_classes: int
    ) -> "ObliqueTree":
        """Return the tree of depth one with this hyperplane and these two leaves."""
        return cls(
            np.atleast_2d(np.asarray(weights, dtype=float)),
            np.array([intercept]),
            np.array([True]),
            np.asarray(leaf_classes),
            np.zeros((2, n_classes)),
            Space.identity(np.size(weights)),
        )

    @property
    def depth(self) -> int:
        """The number of levels of branch nodes."""
        return len(self.leaf_classes).bit_length() - 1

    @property
    def n_features(self) -> int:
        """The number of features of a row."""
        return int(self.weights.shape[1])

    @property
    def n_classes(self) -> int:
        """The number of classes."""
        return int(self.leaf_mass.shape[1])

    @property
    def n_splits(self) -> int:
        """The number of branch nodes that really divide."""
        return int(self.splits.sum())

    @property
    def n_coefficients(self) -> int:
        """The number of weights that are not 0, which a person has to read."""
        return int((self.weights != 0).sum())

    def split_values(self, X: FloatArray) -> FloatArray:
        """Return ``f_t(x)`` of every branch node, of shape (n, 2**D - 1); NaN for an idle one.

        Every value has the sign of the sum that starts with the intercept and adds one feature
        after the other. So the side of a row depends neither on the other rows nor on the machine,
        and a program in any language can repeat it, even for rows on a hyperplane.

        Parameters
        ----------
        X : ndarray of shape (n, p)
            Rows in the scaled space.
        """
        if X.shape[1:] != (self.n_features,):
            raise InvalidInputError(
                f"Rows must have the {self.n_features} features of the hyperplanes; the shape is "
                f"{X.shape}. Give tree.scaling.apply(X) for raw rows X; for a quadratic tree in "
                "original units, raw rows followed by their products."
            )
        values = np.full((len(X), len(self.splits)), np.nan)
        on = np.flatnonzero(self.splits)
        values[:, on] = product(X, self.weights[on].T) + self.intercepts[on]
        # A matrix product adds in its own order, which matters only for values close to 0.
        is_open = ~(np.abs(values) > self._rounding(X))
        for index in on[is_open[:, on].any(axis=0)]:
            rows = is_open[:, index]
            values[rows, index] = self._summed_in_order(X[rows], index)
        return values

    def _rounding(self, X: FloatArray) -> FloatArray:
        """Return how much two orders of summing can differ in each split's value on these rows."""
        largest = np.abs(X).max(axis=0, initial=0.0)
        sizes = product(np.abs(self.weights), largest) + np.abs(self.intercepts)
        limits = np.finfo(float)
        return np.asarray(2 * (self.n_features + 2) * limits.eps * sizes + limits.tiny)

    def _summed_in_order(self, X: FloatArray, index: int) -> FloatArray:
        """Return the values of one split: the intercept first, then one feature after the other."""
        total = np.full(len(X), self.intercepts[index])
        for column, weight in zip(X.T, self.weights[index], strict=True):
            total += weight * column
        return total

    def apply(self, X: FloatArray) -> IntArray:
        """Return the leaf of every row as a node number.

        Parameters
        ----------
        X : ndarray of shape (n, p)
            Rows in the scaled space.
        """
        leaves = np.empty(len(X), dtype=np.int64)
        for block in row_blocks(len(X)):
            leaves[block] = self.leaves_of(self.split_values(X[block]))
        return leaves

    def leaves_of(self, values: FloatArray) -> IntArray:
        """Return the leaf of every row, given its `split_values`."""
        node = np.ones(len(values), dtype=np.int64)
        for _ in range(self.depth):
            # A node that does not split has the value NaN, and NaN >= 0 is false: left.
            goes_right = np.take_along_axis(values, node[:, None] - 1, axis=1)[:, 0] >= 0
            node = 2 * node + goes_right
        return node

    @property
    def open_leaves(self) -> IntArray:
        """The leaves that rows can reach, as node numbers; an idle node sends everything left.

        Examples
        --------
        >>> tree = ObliqueTree.stump([2.0], -1.0, leaf_classes=[0, 1], n_classes=2).deepened(2)
        >>> tree.open_leaves
        array([4, 6])
        """
        is_open = np.ones(2 * len(self.leaf_classes), dtype=bool)
        for t in topology.branch_nodes(self.depth):
            is_open[topology.left(t)] = is_open[t]
            is_open[topology.right(t)] = is_open[t] and self.splits[t - 1]
        is_open[: len(self.leaf_classes)] = False
        return np.flatnonzero(is_open)

    def first_stop(self, node: int) -> int:
        """Return the first split or leaf that rows at ``node`` meet, which may be ``node`` itself.

        Examples
        --------
        >>> tree = ObliqueTree.stump([2.0], -1.0, leaf_classes=[0, 1], n_classes=2).deepened(2)
        >>> tree.first_stop(1), tree.first_stop(2)
        (1, 4)
        """
        while node <= len(self.splits) and not self.splits[node - 1]:
            node = topology.left(node)
        return node

    def decision_path(self, X: FloatArray) -> sparse.csr_array:
        """Return which nodes every row visits.

        Returns
        -------
        csr_array of shape (n, 2**(D+1) - 1)
            Entry ``(i, t - 1)`` is 1 when row ``i`` visits node ``t``.
        """
        n_levels = self.depth + 1
        visited = self.apply(X)[:, None] >> np.arange(n_levels)[::-1]
        starts = np.arange(len(X) + 1) * n_levels
        ones = np.ones(visited.size, dtype=np.int64)
        shape = (len(X), topology.n_nodes(self.depth))
        return sparse.csr_array((ones, visited.ravel() - 1, starts), shape=shape)

    def predict(self, X: FloatArray) -> IntArray:
        """Return the class code of every row of the scaled ``X``."""
        return np.asarray(self.leaf_classes[self.apply(X) - len(self.leaf_classes)])

    def leaf_shares(self, smoothing: float = 0.0) -> FloatArray:
        """Return the class shares of every leaf.

        A leaf without training rows borrows those of its closest ancestor with rows. If no row is
        known at all, the predicted class gets the whole share.

        Parameters
        ----------
        smoothing : float, default 0
            Weight added to every class before the shares are taken.
        """
        mass = self._borrowed_mass() + smoothing
        return np.asarray(mass / mass.sum(axis=1, keepdims=True))

    def _borrowed_mass(self) -> FloatArray:
        n_leaves, n_classes = self.leaf_mass.shape
        filled = self.leaf_mass.copy()
        for height in range(1, self.depth + 1):
            groups = self.leaf_mass.reshape(n_leaves >> height, -1, n_classes).sum(axis=1)
            empty = filled.sum(axis=1) == 0
            filled[empty] = np.repeat(groups, 2**height, axis=0)[empty]
        empty = filled.sum(axis=1) == 0
        filled[empty, self.leaf_classes[empty]] = 1.0
        return filled

    def rescaled(self, scaling: Space) -> "ObliqueTree":
        """Return the same tree with hyperplanes that apply to rows of another scaling."""
        if scaling == self.scaling:
            return self
        tree = self.in_terms()._with_terms(scaling.unmixed)
        if scaling.mix is None:
            return tree
        weights, intercepts = scaling.mix.unfolded(tree.weights, tree.intercepts)
        return tree._with_hyperplanes(weights, intercepts, scaling)

    def in_terms(self) -> "ObliqueTree":
        """Return the same tree with hyperplanes over the terms, so that no mix remains."""
        if self.scaling.mix is None:
            return self
        weights, intercepts = self.scaling.mix.folded(self.weights, self.intercepts)
        return self._with_hyperplanes(weights, intercepts, self.scaling.unmixed)

    def _with_hyperplanes(
        self, weights: FloatArray, intercepts: FloatArray, scaling: Space
    ) -> "ObliqueTree":
        intercepts = np.where(self.splits, intercepts, -1.0)
        return replace(self, weights=weights, intercepts=intercepts, scaling=scaling)

    def _with_terms(self, scaling: Space) -> "ObliqueTree":
        """Return the same tree over the terms of another box."""
        known = self.scaling
        if known == scaling:
            return self
        if scaling.likeness is not None or known.likeness is not None:
            raise InvalidInputError(
                "A tree whose splits see the likeness to landmarks applies to these landmarks "
                "only. Give a tree of the same fit, or none."
            )
        if known.has_products and not scaling.has_products:
            raise InvalidInputError(
                "A tree whose splits see products of columns cannot apply to rows without them. "
                "Give a tree with straight splits, or use space='quadratic'."
            )
        if scaling.has_products:
            padding = ((0, 0), (0, scaling.n_terms - self.n_features))
            curves = Quadratic.of(
                np.pad(self.weights, padding), self.intercepts, known.with_products()
            )
            return self._with_hyperplanes(*curves.hyperplanes(scaling), scaling)
        shift = product(self.weights / known.span, scaling.minimum - known.minimum)
        # Divide the spans first, so that the same scaling returns exactly the same numbers.
        weights = self.weights * (scaling.span / known.span)
        return self._with_hyperplanes(weights, self.intercepts + shift, scaling)

    def in_original_units(self) -> "ObliqueTree":
        """Return the same tree with hyperplanes that apply to raw rows.

        If splits see products of columns, they apply to raw rows that are followed by the products
        ``x_i * x_j`` of their columns, for i <= j. Splits that see the likeness to rows have no
        such hyperplanes.
        """
        if self.scaling.likeness is not None:
            raise InvalidInputError(
                "The splits of this tree see the likeness to training rows, so they are no "
                "hyperplanes over raw rows. Use tree.scaling.apply and split_values, or fit with "
                "space='quadratic' or 'box'."
            )
        tree, scaling = self.in_terms(), self.scaling.unmixed
        identity = Space.identity(scaling.n_terms)
        if not scaling.has_products:
            return tree.rescaled(identity)
        known = Quadratic.of(tree.weights, tree.intercepts, scaling)
        monomials = known.at(np.zeros(scaling.n_columns)).monomials()
        return tree._with_hyperplanes(*monomials, identity)

    def by_influence(self, node: int) -> IntArray:
        """Return the features of a split, the one with the largest scaled weight first.

        Weights that differ by less than a millionth of the largest count as equal and keep the
        order of the features, so rounding does not change the order.

        Examples
        --------
        >>> tree = ObliqueTree.stump([0.5, -2.0, 2.0], 1.0, leaf_classes=[0, 1], n_classes=2)
        >>> tree.by_influence(1)
        array([1, 2, 0])
        """
        sizes = np.abs(self.weights[node - 1])
        shares = np.floor(1e6 * sizes / max(sizes.max(initial=0.0), np.finfo(float).tiny) + 0.5)
        return np.argsort(-shares, kind="stable")

    def influences(self) -> FloatArray:
        """Return the influence of every column: shares of the splits' weights by training weight.

        A product counts half for each of its columns.

        Examples
        --------
        >>> tree = ObliqueTree.stump([0.5, -1.5], 1.0, leaf_classes=[0, 1], n_classes=2)
        >>> tree.influences()
        array([0.25, 0.75])
        """
        total = np.zeros(self.scaling.n_columns)
        for index in np.flatnonzero(self.splits):
            height = self.depth + 1 - (int(index) + 1).bit_length()
            first = ((int(index) + 1) << height) - len(self.leaf_classes)
            below = self.leaf_mass[first : first + (1 << height)]
            sizes = self.scaling.by_column(np.abs(self.weights[index]))
            shares = sizes / max(sizes.sum(), np.finfo(float).tiny)
            total += shares * (below.sum() if self.leaf_mass.any() else 1.0)
        return np.asarray(total / max(total.sum(), np.finfo(float).tiny))

    def longest_path(self, node: int = 1) -> int:
        """Return the largest number of splits on a path from a node to a leaf."""
        node = self.first_stop(node)
        if node > len(self.splits):
            return 0
        return 1 + max(self.longest_path(2 * node), self.longest_path(2 * node + 1))

    def upright(self) -> "ObliqueTree":
        """Return the same tree with every split turned such that its largest weight is positive.

        A split and its mirror image ask the same question; only a row exactly on the hyperplane
        tells them apart. Results of fits are upright, unless sides have a meaning as in OCTSVM.

        Examples
        --------
        >>> tree = ObliqueTree.stump([0.5, -2.0], 1.0, leaf_classes=[0, 1], n_classes=2).upright()
        >>> tree.weights, tree.intercepts, tree.leaf_classes
        (array([[-0.5,  2. ]]), array([-1.]), array([1, 0]))
        """
        nodes, signs = np.arange(2 * len(self.leaf_classes)), np.ones(len(self.splits))
        for t in range(1, len(self.leaf_classes)):
            old = int(nodes[t])
            is_turned = (
                self.splits[old - 1] and self.weights[old - 1, self.by_influence(old)[0]] < 0
            )
            signs[t - 1] = -1.0 if is_turned else 1.0
            nodes[[2 * t, 2 * t + 1]] = 2 * old + is_turned, 2 * old + 1 - is_turned
        return self.rearranged(nodes, signs)

    def rearranged(self, nodes: IntArray, signs: FloatArray) -> "ObliqueTree":
        """Return the tree whose node t is ``nodes[t]`` of this one; entry 0 has no meaning.

        The hyperplane of a node is multiplied by its sign: -1 for one that swaps its sides, 0 for
        one that does not split. A leaf in the place of a branch node does not split either.
        """
        n_leaves = len(self.leaf_classes)
        is_branch = nodes[1:n_leaves] < n_leaves
        branch, leaf = np.where(is_branch, nodes[1:n_leaves], 1) - 1, nodes[n_leaves:] - n_leaves
        splits = self.splits[branch] & is_branch & (signs != 0)
        signs = np.where(splits, signs, 0.0)
        return replace(
            self,
            # Adding 0 leaves no -0.
            weights=signs[:, None] * self.weights[branch] + 0.0,
            intercepts=np.where(splits, signs * self.intercepts[branch] + 0.0, -1.0),
            splits=splits,
            leaf_classes=self.leaf_classes[leaf],
            leaf_mass=self.leaf_mass[leaf],
        )

    def deepened(self, depth: int) -> "ObliqueTree":
        """Return the same tree with more levels, whose new branch nodes do not split.

        Examples
        --------
        >>> tree = ObliqueTree.stump([2.0], -1.0, leaf_classes=[0, 1], n_classes=2)
        >>> tree.deepened(2).leaf_classes
        array([0, 0, 1, 1])
        """
        n_new = topology.n_branch_nodes(depth) - len(self.splits)
        n_below = topology.n_leaves(depth - self.depth)
        mass = np.zeros((topology.n_leaves(depth), self.n_classes))
        mass[::n_below] = self.leaf_mass
        return replace(
            self,
            weights=np.vstack([self.weights, np.zeros((n_new, self.n_features))]),
            intercepts=np.append(self.intercepts, np.full(n_new, -1.0)),
            splits=np.append(self.splits, np.zeros(n_new, dtype=bool)),
            leaf_classes=np.repeat(self.leaf_classes, n_below),
            leaf_mass=mass,
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the tree over its terms as plain lists and numbers; `from_dict` restores it."""
        tree = self.in_terms()
        arrays = {name: getattr(tree, name).tolist() for name in _ARRAYS}
        return arrays | {"scaling": tree.scaling.to_dict()}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> "ObliqueTree":
        """Return the tree from the result of `to_dict`.

        Raises
        ------
        InvalidInputError
            If an entry is missing or does not fit the others.
        """
        try:
            scaling = Space.from_dict(data["scaling"])
            return cls(**{name: data[name] for name in _ARRAYS}, scaling=scaling)
        except (AttributeError, KeyError, TypeError) as error:
            raise InvalidInputError(
                f"A tree needs the entries {[*_ARRAYS, 'scaling']}; reading it failed at {error!r}."
            ) from error

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ObliqueTree):
            return NotImplemented
        pairs = ((getattr(self, f.name), getattr(other, f.name)) for f in fields(self))
        return all(np.array_equal(a, b) if isinstance(a, np.ndarray) else a == b for a, b in pairs)


_ARRAYS: dict[str, type] = {
    "weights": float,
    "intercepts": float,
    "splits": bool,
    "leaf_classes": int,
    "leaf_mass": float,
}


def _check(tree: ObliqueTree) -> None:
    """Raise InvalidInputError unless the arrays of the tree fit together."""
    n_leaves = len(tree.leaf_classes) if tree.leaf_classes.ndim == 1 else 0
    if n_leaves < 1 or n_leaves & (n_leaves - 1):
        raise InvalidInputError(
            f"leaf_classes must be a vector whose length is a power of two; its shape is "
            f"{tree.leaf_classes.shape}."
        )
    n_features = tree.weights.shape[-1] if tree.weights.ndim == 2 else -1
    n_classes = tree.leaf_mass.shape[-1] if tree.leaf_mass.ndim == 2 else -1
    expected = {
        "weights": (n_leaves - 1, n_features),
        "intercepts": (n_leaves - 1,),
        "splits": (n_leaves - 1,),
        "leaf_mass": (n_leaves, n_classes),
    }
    for name, shape in expected.items():
        given = getattr(tree, name).shape
        if given != shape:
            raise InvalidInputError(f"{name} must have the shape {shape}, not {given}.")
    _check_values(tree)


def _check_values(tree: ObliqueTree) -> None:
    """Raise InvalidInputError unless every number of the tree makes sense."""
    numbers = [tree.weights, tree.intercepts, tree.leaf_mass]
    numbers += [tree.scaling.minimum, tree.scaling.span]
    if not all(np.isfinite(a).all() for a in numbers):
        raise InvalidInputError("A tree must hold finite numbers only; it has NaN or infinity.")
    is_vector = tree.scaling.minimum.ndim == 1
    if not is_vector or tree.scaling.minimum.shape != tree.scaling.span.shape:
        raise InvalidInputError("The minimum and the span must be vectors of one length.")
    if tree.scaling.n_features != tree.n_features:
        raise InvalidInputError(
            f"The scaling must give the {tree.n_features} features of the weights; it gives "
            f"{tree.scaling.n_features}."
        )
    if (tree.scaling.span <= 0).any() or (tree.leaf_mass < 0).any():
        raise InvalidInputError("Spans must be positive and leaf_mass must not be negative.")
    if tree.leaf_classes.min() < 0 or tree.leaf_classes.max() >= tree.n_classes:
        raise InvalidInputError(f"leaf_classes must lie in 0..{tree.n_classes - 1}.")
    idle = ~tree.splits
    if tree.weights[idle].any() or (tree.intercepts[idle] != -1).any():
        raise InvalidInputError(
            "A branch node that does not split must have zero weights and intercept -1."
        )
