"""The tree as a SQL expression."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from margintree._lib.exceptions import InvalidInputError
from margintree._lib.suggestion import did_you_mean
from margintree.core import topology
from margintree.core.likeness import MIDDLE
from margintree.core.space import factors
from margintree.show.export.named_tree import refuse_likeness
from margintree.show.export.predictor import Predictor, predictor
from margintree.show.export.sql_dialects import in_dialect
from margintree.show.export.sql_expressions import feature_values, identifier, literal, number


def to_sql(
    model: Any,
    *,
    column_names: Sequence[str] | None = None,
    class_names: Sequence[Any] | None = None,
    share_of: Any = None,
    table_name: str | None = None,
    dialect: str | None = None,
) -> str:
    """Return the label, or the share of one class, as an expression of standard SQL.

    The arithmetic is that of the classifier in the same order. The expression is NULL where a
    column that it needs is NULL. For a model of tables it takes raw rows instead, with missing
    cells, text and booleans. Names are quoted and may contain anything but the zero character.

    Parameters
    ----------
    model : TreeClassifier or ObliqueTree
        A fitted classifier, or its tree.
    column_names : sequence of str, optional
        The columns of the features; by default the names seen in `fit`, or ``x0, x1, ...``.
    class_names : sequence, optional
        The labels; by default those of the classifier, or ``0, 1, ...``.
    share_of : label, optional
        The class whose share is computed; by default the expression is the label.
    table_name : str, optional
        The table of the columns. Without it SQLite takes the name of an unknown column for a text.
    dialect : str, optional
        The database: ``"bigquery"``, ``"duckdb"``, ``"mysql"``, ``"postgres"``, ``"snowflake"``,
        ``"sqlite"`` or ``"tsql"`` for SQL Server, with its own quotes, types and booleans. It needs
        the extra ``sql``. By default the expression is standard SQL.

    Returns
    -------
    str

    Notes
    -----
    Databases limit the size of an expression: SQLite and DuckDB take about 900 features. SQLite may
    read a number of 17 digits as its neighbour, which can change the side of a row on a hyperplane.
    `predict` rejects NaN, but DuckDB takes it for a number above all others.

    Examples
    --------
    >>> from margintree import ObliqueTree, to_sql
    >>> tree = ObliqueTree.stump([2.0, -0.5], -1.0, leaf_classes=[0, 1], n_classes=2)
    >>> print(to_sql(tree, column_names=["height", "age"], class_names=["no", "yes"]))
    CASE
      WHEN "height" IS NULL OR "age" IS NULL THEN NULL
      WHEN -1.0e0
         + 2.0e0 * CAST("height" AS DOUBLE PRECISION)
         + -0.5e0 * CAST("age" AS DOUBLE PRECISION)
        >= 0 THEN
        'yes'
      ELSE
        'no'
    END
    """
    known = predictor(model, column_names, class_names)
    if share_of is not None and share_of not in known.labels:
        raise InvalidInputError(
            f"share_of must be one of the labels {list(known.labels[:10])!r}; {share_of!r} was "
            f"given. {did_you_mean(share_of, known.labels)}Choose one of them."
        )
    code = None if share_of is None else known.labels.index(share_of)
    expression = _Writer(known, code, table_name).expression()
    return expression if dialect is None else in_dialect(expression, dialect)


def sql_columns(model: Predictor, dialect: str | None = None) -> str:
    """Return the label and all shares as columns of a SELECT, named as in ``margintree predict``.

    The dialect is one of `to_sql`.

    Examples
    --------
    >>> from margintree import ObliqueTree
    >>> print(sql_columns(predictor(ObliqueTree.leaf(1, 1, n_classes=1), class_names=["a"])))
    'a' AS "prediction",
    1.0e0 AS "share of a"
    """
    columns = {"prediction": _Writer(model, None).expression()}
    for code, label in enumerate(model.labels):
        columns[f"share of {label}"] = _Writer(model, code).expression()
    texts = [f"{text} AS {identifier(name)}" for name, text in columns.items()]
    return ",\n".join(texts if dialect is None else (in_dialect(text, dialect) for text in texts))


class _Writer:
    """Writes the label, or the share of the class with this code, node by node."""

    def __init__(self, model: Predictor, code: int | None, table_name: str | None = None) -> None:
        refuse_likeness(model.tree, "A CASE expression")
        self.model = model
        self.code = code
        prefix = "" if table_name is None else f"{identifier(table_name)}."
        self.columns = [prefix + identifier(name) for name in model.features]
        values = feature_values(model.encoding, self.columns)
        scaling = model.tree.scaling
        limits = zip(values, scaling.minimum.tolist(), scaling.span.tolist(), strict=True)
        self.scaled = [_scaled(*feature) for feature in limits]
        if scaling.has_products:
            self.scaled += [_product(self.scaled[i], self.scaled[j]) for i, j in self.pairs]

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """The columns of the two factors of every product."""
        first, second = factors(self.model.tree.scaling.n_columns)
        return list(zip(first.tolist(), second.tolist(), strict=True))

    def expression(self) -> str:
        """Return the whole expression."""
        first, *rest = self.lines(1)
        return "\n".join([first, *(self.unknown() if rest else []), *rest])

    def unknown(self) -> list[str]:
        """Return the line that makes the expression NULL where it cannot be computed."""
        if self.model.encoding is not None:
            return []
        used = np.flatnonzero(self.model.tree.weights.any(axis=0)).tolist()
        p = len(self.columns)
        needed = sorted({j for k in used for j in ((k,) if k < p else self.pairs[k - p])})
        tests = " OR ".join(f"{self.columns[j]} IS NULL" for j in needed)
        return [f"  WHEN {tests} THEN NULL"] if tests else []

    def lines(self, node: int) -> list[str]:
        """Return the lines of the subtree below the node."""
        node = self.model.tree.first_stop(node)
        if self.model.is_leaf(node):
            return [self.leaf(node)]
        intercept, *terms = self.summands(node - 1)
        return [
            "CASE",
            f"  WHEN {intercept}",
            *(f"     + {term}" for term in terms),
            "    >= 0 THEN",
            *(f"    {line}" for line in self.lines(topology.right(node))),
            "  ELSE",
            *(f"    {line}" for line in self.lines(topology.left(node))),
            "END",
        ]

    def summands(self, index: int) -> list[str]:
        """Return the terms of a split's value in the order of `split_values`."""
        weights = self.model.tree.weights[index].tolist()
        terms = [f"{number(w)} * {x}" for w, x in zip(weights, self.scaled, strict=True) if w]
        return [number(self.model.tree.intercepts[index]), *terms]

    def leaf(self, node: int) -> str:
        """Return the label or the share of a leaf."""
        if self.code is None:
            return literal(self.model.label(node))
        return number(self.model.leaf_shares(node)[self.code])


def _product(one: str, other: str) -> str:
    """Return the product of two scaled columns, measured from the middle."""
    middle = number(MIDDLE)
    return f"({number(2)} * ({one} - {middle}) * ({other} - {middle}))"


def _scaled(value: str, minimum: float, span: float) -> str:
    """Return the scaled value of a feature."""
    if (minimum, span) == (0.0, 1.0):
        return value
    return f"(({value} - ({number(minimum)})) / {number(span)})"
