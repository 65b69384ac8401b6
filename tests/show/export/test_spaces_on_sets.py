"""Exports of trees in every space give `predict` on every row of the data sets of the study."""

import numpy as np
import pandas as pd
import pytest

import folds
from margintree import ClassTreeClassifier, from_json, to_json
from margintree.core.learnt_space import SPACES
from runners import RUNNERS

KERNELS = ("rbf", "polynomial")
SQL_TERMS = 900
"""Databases limit the depth of an expression, and so the number of terms of a split."""


@pytest.mark.parametrize("name", folds.NAMES)
@pytest.mark.parametrize("space", SPACES)
@pytest.mark.usefixtures("shared_data")
def test_exports_agree_on_every_row(name, space):
    """Python, SQL, ONNX and model files, as far as a space has them."""
    X, y = folds.read(name)
    train, labels = folds.training_fold(name)
    model = ClassTreeClassifier(C=10.0, space=space).fit(train, labels)
    means = np.nanmean(X, axis=0)
    rows = np.where(np.isnan(X), means, X)
    frame = pd.DataFrame(rows, columns=[f"x{j}" for j in range(X.shape[1])])
    assert len(frame) == len(y)
    expected = model.predict(rows).tolist()
    for kind, run in RUNNERS.items():
        has_sql = model.tree_.n_features <= SQL_TERMS and kind == "duckdb"
        if kind == "python" or (space not in KERNELS and (kind == "onnx" or has_sql)):
            model.feature_names_in_ = np.array(frame.columns, dtype=object)
            assert run(model, frame)[0] == expected
    assert (from_json(to_json(model)).predict(frame) == expected).all()
