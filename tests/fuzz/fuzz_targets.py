"""What must hold of a reader whatever bytes it is given: it refuses them, or they make sense."""

import json
import random
import tempfile
from pathlib import Path

import numpy as np
from jsonschema import Draft202012Validator

from contents import SCHEMA, places
from margintree._lib.exceptions import InvalidInputError, ModelFileError
from margintree.data.preprocessing import TableEncoder
from margintree.data.tables import csv_text, read_table
from margintree.estimators.modelfile import from_json, load, to_json

FILE = Path(tempfile.gettempdir()) / f"fuzz-{random.SystemRandom().getrandbits(64):x}"
VALIDATOR = Draft202012Validator(SCHEMA)
ODD = (None, True, -1, 0, 2, 1e308, 10**400, "", "inf", "half \ud83c", [], [[]], {}, {"rows": []})
"""Entries that are at home in few places."""


def model(data: bytes) -> None:
    """Read a model file: one that is taken agrees with the schema, predicts, and is kept."""
    FILE.write_bytes(data)
    try:
        read = load(FILE)
    except ModelFileError:
        return
    VALIDATOR.validate(json.loads(data))
    assert to_json(from_json(to_json(read))) == to_json(read)
    X = np.zeros((1, read.tree_.n_features))
    shares = read.tree_.leaf_shares()
    assert read.classes_[read.tree_.predict(X)][0] in read.classes_
    np.testing.assert_allclose(shares.sum(axis=1), 1.0)


def table(data: bytes) -> None:
    """Read a table: one that is taken is whole, survives writing, and becomes finite numbers."""
    FILE.write_bytes(data)
    try:
        read = read_table(FILE)
        X = TableEncoder().fit_transform(read)
    except InvalidInputError:
        return
    assert len({*read.columns}) == len(read.columns) == len(read.cells)
    assert {len(column) for column in read.cells} == {len(read)}
    assert np.isfinite(np.asarray(X, dtype=float)).all()
    FILE.write_text(csv_text(read.columns, zip(*read.cells, strict=True)), encoding="utf-8")
    assert len(read_table(FILE)) == len(read)


def other_entry(data: bytes, max_size: int, seed: int) -> bytes:
    """Return JSON with one entry replaced: by something odd, or by another entry."""
    luck = random.Random(seed)
    content = json.loads(data)
    found = list(places(content))
    holder, key = luck.choice(found)
    giver, name = luck.choice(found)
    holder[key] = luck.choice([giver[name], luck.choice(ODD)])
    text = json.dumps(content).encode()
    return text if len(text) <= max_size else data
