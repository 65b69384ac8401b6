"""The tree as an ONNX model."""

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

import margintree
from margintree._lib.arrays import AnyArray
from margintree._lib.exceptions import InvalidInputError
from margintree._lib.extras import imported
from margintree.core.space import factors
from margintree.core.tree import ObliqueTree
from margintree.show.export.named_tree import refuse_likeness
from margintree.show.export.predictor import Predictor, predictor

if TYPE_CHECKING:
    from onnx import ModelProto


def to_onnx(
    model: Any,
    *,
    feature_names: Sequence[str] | None = None,
    class_names: Sequence[Any] | None = None,
) -> "ModelProto":
    """Return an ONNX model that predicts labels and probabilities.

    The input ``X`` holds raw rows as 64-bit floats, shape (n, p). The outputs are ``label``, with
    the labels of the classifier (text, 64-bit integers, 64-bit floats or booleans), and
    ``probabilities``, 64-bit floats of shape (n, K). The model scales the features itself. Its
    arithmetic is that of the classifier in the same order, so the labels agree on every row. The
    metadata holds the names of the features as a JSON list under ``feature_names``.

    For a model of tables the ONNX model is the tree alone. Its input holds the numbers returned by
    ``model[0].transform``, without text and missing cells.

    Unlike `predict`, the model cannot reject missing values: a split whose value is NaN sends the
    row left.

    Parameters
    ----------
    model : TreeClassifier or ObliqueTree
        A fitted classifier, or its tree.
    feature_names : sequence of str, optional
        Names of the features; by default those seen in `fit`, or ``x0, x1, ...``.
    class_names : sequence, optional
        The labels; by default those of the classifier, or ``0, 1, ...``.

    Returns
    -------
    onnx.ModelProto
        Write it with ``onnx.save``.

    Raises
    ------
    MissingPackageError
        When the package ``onnx`` is not installed.

    Examples
    --------
    >>> from margintree import ObliqueTree, to_onnx
    >>> tree = ObliqueTree.stump([2.0, -0.5], -1.0, leaf_classes=[0, 1], n_classes=2)
    >>> [output.name for output in to_onnx(tree).graph.output]
    ['label', 'probabilities']
    """
    imported("onnx", extra="onnx")
    from onnx import ModelProto, numpy_helper, parser

    known = predictor(model, feature_names, class_names)
    refuse_likeness(known.tree, "An ONNX model")
    tree, labels = known.tree, _labels(known)
    constants = {
        "minimum": tree.scaling.minimum,
        "span": tree.scaling.span,
        "weights": tree.weights.T,
        "intercepts": tree.intercepts,
        "labels": labels[tree.leaf_classes],
        "shares": known.shares,
    }
    if tree.scaling.has_products:
        first, second = factors(tree.scaling.n_columns)
        constants |= {"first": first, "second": second}
    written: ModelProto = parser.parse_model(_program(tree, labels.dtype.kind))
    written.graph.initializer.extend(
        numpy_helper.from_array(values, name) for name, values in constants.items()
    )
    written.producer_version = margintree.__version__
    encoding = known.encoding
    names = known.features if encoding is None else [f.words for f in encoding.features]
    written.metadata_props.add(key="feature_names", value=json.dumps(names))
    return written


def _labels(model: Predictor) -> AnyArray:
    """Return the labels as an array of a type that ONNX has."""
    kind = type(model.labels[0])
    try:
        return np.array(model.labels, dtype=object if kind is str else kind)
    except OverflowError:
        largest = max(model.labels, key=abs)  # type: ignore[arg-type]
        raise InvalidInputError(
            "Integer labels in ONNX must be from -2**63 to 2**63 - 1; "
            f"{largest} was given. Name the classes otherwise with class_names."
        ) from None


def _program(tree: ObliqueTree, label_kind: str) -> str:
    """Return the model without its constants in the syntax of ``onnx.parser``."""
    steps = "\n".join(_STEP.format(now=level, then=level + 1) for level in range(tree.depth))
    return _PROGRAM.format(
        n_columns=tree.scaling.n_columns,
        scaling=_PRODUCTS if tree.scaling.has_products else _BOX,
        n_classes=tree.n_classes,
        n_branch_nodes=len(tree.splits),
        n_leaves=len(tree.leaf_classes),
        label_type=_LABEL_TYPES[label_kind],
        steps=steps,
        leaf=f"node{tree.depth}",
    )


_LABEL_TYPES = {"O": "string", "i": "int64", "f": "double", "b": "bool"}
"""The ONNX types of labels by the kind of their NumPy array."""

_BOX = "scaled = Div(shifted, span)"
_PRODUCTS = """columns = Div(shifted, span)
    middle = Constant <value = double {0.5}> ()
    factor = Constant <value = double {2.0}> ()
    from_middle = Sub(columns, middle)
    left_factors = Gather <axis = 1> (from_middle, first)
    right_factors = Gather <axis = 1> (from_middle, second)
    doubled_factors = Mul(factor, left_factors)
    products = Mul(doubled_factors, right_factors)
    scaled = Concat <axis = 1> (columns, products)"""

# The sum runs feature by feature: a product of matrices would add in an order of its own, and rows
# on a hyperplane would show it.
_PROGRAM = """
<ir_version: 8, opset_import: ["" : 17], producer_name: "margintree">
margintree (double[n, {n_columns}] X)
    => ({label_type}[n] label, double[n, {n_classes}] probabilities)
{{
    shifted = Sub(X, minimum)
    {scaling}
    features = Transpose(scaled)
    n_rows = Shape <start = 0, end = 1> (X)
    n_branch_nodes = Constant <value_ints = [{n_branch_nodes}]> ()
    shape = Concat <axis = 0> (n_rows, n_branch_nodes)
    start = Expand(intercepts, shape)
    values = Scan <num_scan_inputs = 2, body = addition
        (double[n, b] total, double[n] feature, double[b] weight) => (double[n, b] new_total)
    {{
        axis = Constant <value_ints = [1]> ()
        column = Unsqueeze(feature, axis)
        term = Mul(column, weight)
        new_total = Add(total, term)
    }}> (start, features, weights)
    zero = Constant <value = double {{0.0}}> ()
    is_right = GreaterOrEqual(values, zero)
    sides = Cast <to = 7> (is_right)
    one = Constant <value = int64[1] {{1}}> ()
    two = Constant <value = int64[1] {{2}}> ()
    node_shape = Concat <axis = 0> (n_rows, one)
    node0 = Expand(one, node_shape)
{steps}
    n_leaves = Constant <value = int64[1] {{{n_leaves}}}> ()
    leaf_columns = Sub({leaf}, n_leaves)
    leaves = Squeeze(leaf_columns, one)
    label = Gather(labels, leaves)
    probabilities = Gather(shares, leaves)
}}
"""
_STEP = """
    index{now} = Sub(node{now}, one)
    side{now} = GatherElements <axis = 1> (sides, index{now})
    doubled{now} = Mul(node{now}, two)
    node{then} = Add(doubled{now}, side{now})"""
