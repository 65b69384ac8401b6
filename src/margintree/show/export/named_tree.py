"""A tree with names for its features and classes, as people know them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sklearn.utils.validation import check_is_fitted

from margintree._lib.exceptions import InvalidInputError
from margintree.core.tree import ObliqueTree
from margintree.data.preprocessing import Encoding


@dataclass(frozen=True)
class NamedTree:
    """A tree and what its features and classes are called.

    Attributes
    ----------
    tree : ObliqueTree
        The tree.
    features, classes : tuple of str
        Names in the order of the tree's features and class codes, each on one line and without
        control characters.
    conditions : frozenset of int
        The features that are 1 where a condition, their name, holds, and 0 elsewhere.
    """

    tree: ObliqueTree
    features: tuple[str, ...]
    classes: tuple[str, ...]
    conditions: frozenset[int] = frozenset()


def named(
    model: Any,
    feature_names: Sequence[str] | None = None,
    class_names: Sequence[Any] | None = None,
) -> NamedTree:
    """Return the tree of a model with the names that were given, or else those that it knows.

    Parameters
    ----------
    model : TreeClassifier, TableClassifier or ObliqueTree
        A fitted classifier, or its tree.
    feature_names : sequence of str, optional
        Names of the features; by default those seen in `fit`, or ``x0, x1, ...``.
    class_names : sequence, optional
        Names of the classes; by default those of the classifier, or ``0, 1, ...``.

    Examples
    --------
    >>> tree = ObliqueTree.stump([2.0, -0.5], -1.0, leaf_classes=[0, 1], n_classes=2)
    >>> named(tree, class_names=["no", "yes"]).features
    ('x0', 'x1')
    """
    tree, features, classes = with_names(model, feature_names, class_names)
    encoding = encoding_of(model)
    encoded = [] if encoding is None else encoding.features
    return NamedTree(
        tree,
        tuple(map(printable, features)),
        tuple(map(printable, classes)),
        frozenset(j for j, feature in enumerate(encoded) if feature.is_condition),
    )


def encoding_of(model: Any) -> Encoding | None:
    """Return how the model makes its features of a table, None when it takes them as they are."""
    return getattr(model, "encoding_", None)


def with_names(
    model: Any, feature_names: Sequence[str] | None, class_names: Sequence[Any] | None
) -> tuple[ObliqueTree, Sequence[str], Sequence[Any]]:
    """Return the tree of a model with its names as they are; see `named`."""
    if not isinstance(model, ObliqueTree):
        check_is_fitted(model)
        feature_names = _first_given(feature_names, _known_features(model))
        class_names = _first_given(class_names, model.classes_)
        model = model.tree_
    features = _first_given(feature_names, [f"x{j}" for j in range(model.n_features)])
    classes = _first_given(class_names, range(model.n_classes))
    _check_count("features", len(features), model.n_features)
    _check_count("classes", len(classes), model.n_classes)
    return model, features, classes


def _known_features(model: Any) -> Sequence[str] | None:
    """Return what a classifier calls the features of its tree."""
    encoding = encoding_of(model)
    if encoding is not None:
        return [feature.words for feature in encoding.features]
    return getattr(model, "feature_names_in_", None)


def printable(name: Any) -> str:
    """Return the name on one line and without control characters."""
    return "".join(letter if letter.isprintable() else "?" for letter in str(name))


def _first_given(*choices: Any) -> Any:
    return next((choice for choice in choices if choice is not None), None)


def _check_count(what: str, given: int, needed: int) -> None:
    if given != needed:
        raise InvalidInputError(f"There must be {needed} names of {what}; {given} were given.")


def has_margins(model: Any) -> bool:
    """Tell whether the splits of a model have margins that it pays for.

    A tree alone does not say by which method it was found, and is taken to have them.

    Examples
    --------
    >>> from margintree import CARTClassifier, MOCTSVMClassifier
    >>> X, y = [[0.0], [1.0]], [0, 1]
    >>> has_margins(MOCTSVMClassifier().fit(X, y)), has_margins(CARTClassifier().fit(X, y))
    (True, False)
    """
    return isinstance(model, ObliqueTree) or "margin" in model.cost_.terms
