"""SQL in the words of a particular database."""

from typing import Any

from margintree._lib.exceptions import InvalidInputError
from margintree._lib.extras import imported
from margintree._lib.suggestion import did_you_mean

DIALECTS = ("bigquery", "duckdb", "mysql", "postgres", "snowflake", "sqlite", "tsql")
"""The dialects that are tested; ``tsql`` is SQL Server's."""


def in_dialect(expression: str, dialect: str) -> str:
    """Return an expression of standard SQL in the quoting, types and booleans of a database.

    Examples
    --------
    >>> print(in_dialect('CASE WHEN CAST("a" AS DOUBLE PRECISION) >= 0 THEN 1 END', "bigquery"))
    CASE WHEN CAST(`a` AS FLOAT64) >= 0 THEN 1 END
    """
    if dialect not in DIALECTS:
        raise InvalidInputError(
            f"dialect must be one of {', '.join(DIALECTS)}; {dialect!r} was given. "
            f"{did_you_mean(dialect, DIALECTS)}Choose one of them, or leave it out for standard "
            "SQL."
        )
    sqlglot = imported("sqlglot", extra="sql")
    parsed = sqlglot.parse_one(expression, read="postgres")
    if dialect == "tsql":
        parsed = parsed.transform(_for_sql_server)
    text: str = parsed.sql(dialect=dialect)
    return text


def _for_sql_server(node: Any) -> Any:
    """Return a part of a query with bits for booleans and with texts of any length."""
    exp = imported("sqlglot.expressions", extra="sql")
    if isinstance(node, exp.Boolean):
        return exp.Literal.number(int(node.this))
    if isinstance(node, exp.DataType) and node.this == exp.DataType.Type.VARCHAR:
        # Without a length SQL Server cuts texts after 30 letters.
        return exp.DataType(this=node.this, expressions=[exp.DataTypeParam(this=exp.var("MAX"))])
    return node
