"""Warnings point to the code of the user, however deep they come from."""

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

from margintree import CARTClassifier, TableWarning, make_table_classifier
from margintree._lib.warn import warn_user

TABLE = pd.DataFrame({"same": ["x"] * 8, "size": range(8)})
LABELS = np.array([0, 0, 0, 0, 1, 1, 1, 1])


def test_a_direct_call_is_the_place():
    """Nothing lies between."""
    with pytest.warns(UserWarning, match="odd") as caught:
        warn_user("This is odd.", UserWarning)
    assert caught[0].filename == __file__


@pytest.mark.parametrize(
    "wrapped",
    [
        lambda clf: clf,
        make_pipeline,
        lambda clf: GridSearchCV(clf, {"classifier__max_depth": [1]}, cv=2),
    ],
    ids=["itself", "pipeline", "search"],
)
def test_packages_between_are_skipped(wrapped):
    """A table says which of its columns is left out, in the line that fits it."""
    model = wrapped(make_table_classifier(CARTClassifier(1)))
    with pytest.warns(TableWarning, match="'same' is left out") as caught:
        model.fit(TABLE, LABELS)
    assert {one.filename for one in caught} == {__file__}
