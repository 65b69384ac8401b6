"""SQL for particular databases: it parses there, means the same, and predicts as predict does."""

import sqlite3

import duckdb
import numpy as np
import pandas as pd
import pytest
import sqlglot
from sqlglot import expressions as exp

from margintree import MOCTSVMClassifier, ObliqueTree, make_table_classifier, to_sql
from margintree._lib.exceptions import InvalidInputError
from margintree.show.export.sql_dialects import DIALECTS

HOSTILE = ['it\'s "odd"', "back\\slash", "a`b]c", "größe 身長", "x" * 60]


@pytest.fixture(scope="module")
def table():
    """Return a model of numbers, texts and booleans with missing cells, and its rows."""
    rng = np.random.default_rng(0)
    n = 60
    rows = pd.DataFrame(
        {
            'the "size"': rng.normal(size=n).round(2),
            "kind": np.array(HOSTILE)[np.arange(n) % 5],
            "is new": rng.random(n) < 0.5,
        }
    ).astype({"is new": object})
    rows.loc[::7, 'the "size"'] = None
    labels = np.array(HOSTILE)[(np.arange(n) % 5 + (rng.random(n) < 0.1)) % 3]
    model = make_table_classifier(MOCTSVMClassifier(2, c1=10.0, max_iter=2))
    return model.fit(rows, labels), rows


@pytest.mark.parametrize("dialect", DIALECTS)
def test_it_parses_and_keeps_every_name_label_and_number(dialect, table):
    """The dialect's own parser finds the columns, texts and numbers of standard SQL."""
    model, _ = table
    standard = sqlglot.parse_one(to_sql(model), read="postgres")
    written = sqlglot.parse_one(to_sql(model, dialect=dialect), read=dialect)

    def parts(query):
        return (
            {column.name for column in query.find_all(exp.Column)},
            sorted(lit.this for lit in query.find_all(exp.Literal) if lit.is_string),
            sorted(float(lit.this) for lit in query.find_all(exp.Literal) if not lit.is_string),
        )

    assert parts(written) == parts(standard)


@pytest.mark.parametrize("dialect", ["duckdb", "sqlite"])
def test_databases_predict_as_predict_does(dialect, table):
    """Every row, missing cells and odd texts included."""
    model, rows = table
    query = f"SELECT {to_sql(model, dialect=dialect)} FROM t"
    if dialect == "duckdb":
        with duckdb.connect(config={"threads": 1}) as connection:
            connection.register("t", rows)
            labels = [row[0] for row in connection.execute(query).fetchall()]
    else:
        connection = sqlite3.connect(":memory:")
        rows.to_sql("t", connection, index=False)
        labels = [row[0] for row in connection.execute(query).fetchall()]
        connection.close()
    assert labels == model.predict(rows).tolist()


def test_sql_server_gets_bits_and_long_texts(table):
    """It knows no TRUE, and cuts a text without a length after 30 letters."""
    tree = ObliqueTree.stump([2.0], -1.0, leaf_classes=[0, 1], n_classes=2)
    text = to_sql(tree, class_names=[False, True], dialect="tsql")
    assert "THEN 1 ELSE 0 END" in text
    assert "TRUE" not in text
    assert "AS VARCHAR(MAX))" in to_sql(table[0], dialect="tsql")


def test_an_unknown_dialect_is_refused():
    """The message lists the known ones."""
    tree = ObliqueTree.leaf(1, 1, 2)
    with pytest.raises(InvalidInputError, match="'oracle' was given"):
        to_sql(tree, dialect="oracle")
