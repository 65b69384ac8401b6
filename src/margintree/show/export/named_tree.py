"""A tree with the names of its features and classes."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from margintree._lib.exceptions import InvalidInputError
from margintree.core.quadratic import monomial_box
from margintree.core.space import factors
from margintree.core.tree import ObliqueTree
from margintree.data.preprocessing import Encoding


@dataclass(frozen=True)
class NamedTree:
    """A tree and the names of its features and classes, without control characters.

    ``conditions`` are the features that are 1 where their name holds and 0 elsewhere.
    """

    tree: ObliqueTree
    features: tuple[str, ...]
    classes: tuple[str, ...]
    conditions: frozenset[int] = frozenset()


def named(
    model: Any, feature_names: Sequence[str] | None = None, class_names: Sequence[Any] | None = None
) -> NamedTree:
    """Return the tree of a classifier, or a bare tree, with the given names or those it knows.

    Examples
    --------
    >>> tree = ObliqueTree.stump([2.0, -0.5], -1.0, leaf_classes=[0, 1], n_classes=2)
    >>> named(tree, class_names=["no", "yes"]).features
    ('x0', 'x1')
    """
    known = with_columns(model, feature_names, class_names)
    tree, features = known.tree, known.features
    refuse_likeness(tree, "Rules over columns")
    if tree.scaling.has_products:
        tree, features = with_raw_products(tree), tuple(product_names(features))
    return replace(known, tree=tree, features=features)


def with_columns(
    model: Any, feature_names: Sequence[str] | None = None, class_names: Sequence[Any] | None = None
) -> NamedTree:
    """Return a tree with the names of its columns, whatever its splits see of them."""
    tree, features, classes = with_names(model, feature_names, class_names)
    encoding = encoding_of(model)
    encoded = [] if encoding is None else encoding.features
    return NamedTree(
        tree,
        tuple(map(printable, features)),
        tuple(map(printable, classes)),
        frozenset(j for j, feature in enumerate(encoded) if feature.is_condition),
    )


def product_names(names: Sequence[str]) -> list[str]:
    """Return the names of columns and of their products.

    Examples
    --------
    >>> product_names(["alcohol", "hue"])
    ['alcohol', 'hue', 'alcohol squared', 'alcohol x hue', 'hue squared']
    """
    first, second = factors(len(names))
    pairs = zip(first.tolist(), second.tolist(), strict=True)
    products = (f"{names[i]} squared" if i == j else f"{names[i]} x {names[j]}" for i, j in pairs)
    return [*names, *products]


def with_raw_products(tree: ObliqueTree) -> ObliqueTree:
    """Return a tree with curved splits as one with straight splits over raw columns and products.

    Its features are scaled to the range that they can have in the box of the training rows.
    """
    return tree.in_original_units().rescaled(monomial_box(tree.scaling))


def refuse_likeness(tree: ObliqueTree, what: str) -> None:
    """Raise InvalidInputError if splits see the likeness to landmarks."""
    if tree.scaling.likeness is not None:
        raise InvalidInputError(
            f"{what} must have splits over columns or their products; those of this tree see the "
            "likeness to training rows (space='rbf' or 'polynomial'). Use plot_partition, "
            "to_python or to_json, or fit with space='quadratic' or 'box'."
        )


def encoding_of(model: Any) -> Encoding | None:
    """Return how the model encodes a table, or None if it takes features directly."""
    return getattr(model, "encoding_", None)


def with_names(
    model: Any, feature_names: Sequence[str] | None, class_names: Sequence[Any] | None
) -> tuple[ObliqueTree, Sequence[str], Sequence[Any]]:
    """Return the tree of a model with its names, unchanged; see `named`."""
    tree = tree_of(model)
    columns = [f"x{j}" for j in range(tree.scaling.n_columns)]
    known_classes = getattr(model, "classes_", range(tree.n_classes))
    features = _first_given(feature_names, _known_features(model), columns)
    classes = _first_given(class_names, known_classes)
    for noun, names, needed in (
        ("features", features, tree.scaling.n_columns),
        ("classes", classes, tree.n_classes),
    ):
        if len(names) != needed:
            raise InvalidInputError(
                f"There must be {needed} names of {noun}; {len(names)} were given. Correct them."
            )
    return tree, features, classes


def tree_of(model: Any) -> ObliqueTree:
    """Return a tree, or that of a fitted classifier; raise InvalidInputError for anything else."""
    if isinstance(model, ObliqueTree):
        return model.in_terms()
    if hasattr(model, "fit"):
        check_is_fitted(model)
    tree = getattr(model, "tree_", None)
    if not isinstance(tree, ObliqueTree):
        raise InvalidInputError(
            "A fitted classifier of margintree or its tree is needed; a "
            f"{type(model).__name__} was given. Fit one, such as MOCTSVMClassifier; of a search "
            "over parameters, give best_estimator_."
        )
    return tree


def _known_features(model: Any) -> Sequence[str] | None:
    """Return the classifier's names of its features, if it has any."""
    encoding = encoding_of(model)
    if encoding is not None:
        return [feature.words for feature in encoding.features]
    return getattr(model, "feature_names_in_", None)


def printable(name: Any) -> str:
    """Return the name with "?" in place of control characters and line breaks."""
    return "".join(letter if letter.isprintable() else "?" for letter in str(name))


def _first_given(*choices: Any) -> Any:
    return next((choice for choice in choices if choice is not None), None)


def has_margins(model: Any) -> bool:
    """Tell whether margins are part of the model's cost. A bare tree is taken to have margins.

    Examples
    --------
    >>> from margintree import CARTClassifier, MOCTSVMClassifier
    >>> X, y = [[0.0], [1.0]], [0, 1]
    >>> has_margins(MOCTSVMClassifier().fit(X, y)), has_margins(CARTClassifier().fit(X, y))
    (True, False)
    """
    if isinstance(model, ObliqueTree):
        return True
    classifier = model[-1] if isinstance(model, Pipeline) else model
    return bool(classifier._method.has_margins)


def norm_of(model: Any) -> str | None:
    """Return the name of the norm in which a classifier measures margins; None if it has none.

    Examples
    --------
    >>> from margintree import CARTClassifier, MOCTSVMClassifier
    >>> X, y = [[0.0], [1.0]], [0, 1]
    >>> norm_of(MOCTSVMClassifier(norm="l1").fit(X, y)), norm_of(CARTClassifier().fit(X, y))
    ('l1', None)
    """
    classifier = model[-1] if isinstance(model, Pipeline) else model
    name: str | None = classifier._params_of_tree().get("norm")
    return name
