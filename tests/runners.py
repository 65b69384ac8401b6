"""Exported trees at work: each runner returns labels and probabilities of the rows of a frame."""

import builtins
import sqlite3

import duckdb
import numpy as np
import onnxruntime

from margintree import to_onnx, to_python, to_sql

ALLOWED = ("ValueError", "dict", "float", "hasattr", "len", "list", "str", "zip")
"""What a generated module may use: it cannot import, open or print anything."""


def run_python(model, frame):
    """Run the generated module on rows as sequences and, for the probabilities, as dicts."""
    module = {"__builtins__": {name: getattr(builtins, name) for name in ALLOWED}}
    exec(to_python(model), module)
    labels = [module["predict"](row) for row in frame.to_numpy().tolist()]
    shares = [module["predict_proba"](row) for row in frame.to_dict("records")]
    assert all(list(row) == model.classes_.tolist() for row in shares)
    return labels, np.array([list(row.values()) for row in shares])


def run_onnx(model, frame):
    """Run the model in onnxruntime."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(
        to_onnx(model).SerializeToString(), options, providers=["CPUExecutionProvider"]
    )
    labels, shares = session.run(["label", "probabilities"], {"X": frame.to_numpy()})
    return labels.tolist(), shares


def query(model, table_name="t"):
    """Return a query of the label and of the share of every class."""
    shares = [to_sql(model, share_of=label, table_name=table_name) for label in model.classes_]
    return f"SELECT {', '.join([to_sql(model), *shares])} FROM t"


def run_sqlite(model, frame):
    """Run the query in SQLite."""
    connection = sqlite3.connect(":memory:")
    columns = ", ".join('"' + name.replace('"', '""') + '"' for name in frame.columns)
    connection.execute(f"CREATE TABLE t ({columns})")
    marks = ", ".join("?" * len(frame.columns))
    connection.executemany(f"INSERT INTO t VALUES ({marks})", frame.to_numpy().tolist())
    answers = connection.execute(query(model)).fetchall()
    connection.close()
    return _parted(model, answers)


def run_duckdb(model, frame):
    """Run the query in DuckDB."""
    with duckdb.connect(config={"threads": 1}) as connection:
        connection.register("t", frame)
        return _parted(model, connection.execute(query(model)).fetchall())


def _parted(model, answers):
    labels = [answer[0] for answer in answers]
    if model.classes_.dtype.kind == "b":
        labels = list(map(bool, labels))
    return labels, np.array([answer[1:] for answer in answers])


RUNNERS = {
    "python": run_python,
    "onnx": run_onnx,
    "sqlite": run_sqlite,
    "duckdb": run_duckdb,
}
