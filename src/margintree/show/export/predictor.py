"""The data from which a program repeats the predictions of a classifier."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from margintree._lib.arrays import FloatArray
from margintree._lib.exceptions import InvalidInputError
from margintree.core.tree import ObliqueTree
from margintree.data.label_types import check_text, label_type
from margintree.data.preprocessing import Encoding
from margintree.show.export.named_tree import encoding_of, with_names

Label: TypeAlias = str | int | float | bool


@dataclass(frozen=True)
class Predictor:
    """A tree with exact names, labels and numbers for prediction.

    Attributes
    ----------
    features : tuple of str
        The names of the features, or of the columns of the encoded table; all different.
    labels : tuple of str, int, float or bool
        The labels in the order of the class codes; all of one type.
    shares : ndarray of shape (2**D, K)
        The class shares of every leaf.
    encoding : Encoding or None
        The encoding of the columns of a table; None if rows hold the features.
    """

    tree: ObliqueTree
    features: tuple[str, ...]
    labels: tuple[Label, ...]
    shares: FloatArray
    encoding: Encoding | None = None

    def __post_init__(self) -> None:
        label_type(self.labels)
        check_text(self.features)
        for what, names in (("features", self.features), ("classes", self.labels)):
            if len(set(names)) != len(names):
                repeated = next(name for i, name in enumerate(names) if name in names[:i])
                raise InvalidInputError(
                    f"The names of {what} must be all different; {repeated!r} appears more than "
                    "once. Give other names."
                )

    def is_leaf(self, node: int) -> bool:
        """Tell whether the node is a leaf."""
        return node > len(self.tree.splits)

    def label(self, leaf: int) -> Label:
        """Return the label that a leaf, by its node number, predicts."""
        return self.labels[int(self.tree.leaf_classes[leaf - len(self.tree.leaf_classes)])]

    def leaf_shares(self, leaf: int) -> list[float]:
        """Return the class shares of a leaf, by its node number."""
        shares: list[float] = self.shares[leaf - len(self.tree.leaf_classes)].tolist()
        return shares


def predictor(
    model: Any, feature_names: Sequence[str] | None = None, class_names: Sequence[Any] | None = None
) -> Predictor:
    """Return the predictor of a classifier or a tree; the arguments are those of `to_python`.

    Examples
    --------
    >>> tree = ObliqueTree.stump([2.0], -1.0, leaf_classes=[0, 1], n_classes=2)
    >>> predictor(tree, class_names=["no", "yes"]).label(3)
    'yes'
    """
    tree, features, classes = with_names(model, feature_names, class_names)
    encoding = encoding_of(model)
    if encoding is not None:
        if feature_names is not None:
            raise InvalidInputError(
                "The columns of a model of tables are found by name, so other feature names cannot "
                "be given. Rename the columns of the table."
            )
        features = [column.name for column in encoding.columns]
    shares = tree.leaf_shares(getattr(model, "smoothing", 0.0))
    labels = tuple(np.asarray(classes).tolist())
    return Predictor(tree, tuple(map(str, features)), labels, shares, encoding)
