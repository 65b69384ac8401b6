"""The bundled data sets."""

import pytest

from margintree import datasets
from margintree.exceptions import InvalidInputError


@pytest.mark.parametrize(
    ("name", "shape", "n_classes"), [("iris", (150, 4), 3), ("wine", (178, 13), 3)]
)
def test_shapes_and_names(name, shape, n_classes):
    """One name per feature, one label of text per row."""
    data = datasets.load(name)
    assert data.X.shape == shape
    assert len(data.feature_names) == shape[1]
    assert data.y.shape == shape[:1]
    assert data.y.dtype.kind == "U"
    assert len(set(data.y)) == n_classes


def test_an_unknown_name_is_refused():
    """The message lists what there is."""
    with pytest.raises(InvalidInputError, match="iris, wine"):
        datasets.load("titanic")


def test_the_tables_of_the_study_agree(shared_data):
    """The study's iris has the labels of the bundled one, class by class."""
    import csv

    with (shared_data / "iris.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == len(datasets.load("iris").y)
