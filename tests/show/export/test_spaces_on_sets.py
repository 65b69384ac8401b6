"""Exports of trees in every kind of space give `predict` on every row of the sets of the study."""

import numpy as np
import pandas as pd
import pytest

import folds
from margintree import ClassTreeClassifier, from_json, to_json, to_python
from runners import RUNNERS

SQL_TERMS = 400
"""DuckDB takes minutes for several splits of more terms."""


@pytest.mark.parametrize("name", folds.NAMES)
@pytest.mark.parametrize("space", ["whitened", "quadratic", "rbf"])
@pytest.mark.usefixtures("shared_data")
def test_exports_agree_on_every_row(name, space):
    """Python and model files, and SQL and ONNX of splits over columns and products."""
    X, _ = folds.read(name)
    model = ClassTreeClassifier(C=10.0, space=space).fit(*folds.training_fold(name))
    X = np.where(np.isnan(X), np.nanmean(X, axis=0), X)
    expected = model.predict(X).tolist()
    module = {}
    exec(to_python(model), module)
    assert [module["predict"](row) for row in X.tolist()] == expected
    assert from_json(to_json(model)).predict(X).tolist() == expected
    frame = pd.DataFrame(X, columns=[f"x{j}" for j in range(X.shape[1])])
    if space != "rbf":
        assert RUNNERS["onnx"](model, frame)[0] == expected
    if space != "rbf" and model.tree_.n_features <= SQL_TERMS:
        assert RUNNERS["duckdb"](model, frame)[0] == expected
