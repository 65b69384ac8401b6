"""Pictures are what they were when somebody last looked at them."""

import numpy as np
import pytest
from matplotlib.testing.compare import compare_images

import pictures
from margintree import ObliqueTree

TOLERANCE = 0.5
"""Root mean square difference, per channel of 255, that two drawings of a picture may have.

matplotlib 3.9 and 3.11 differ by less than a tenth of it. A test below shows that what a reader
would notice is far above it.
"""


@pytest.mark.parametrize("name", pictures.PICTURES)
def test_a_picture_looks_as_before(name, tmp_path):
    """If this fails for a good reason: run pictures.py, look at the new ones, and commit them."""
    drawn = pictures.save(name, tmp_path)
    expected = pictures.BASELINE / drawn.name
    assert compare_images(str(expected), str(drawn), TOLERANCE) is None


@pytest.mark.parametrize("name", ["small_tree", "partition", "fictitious_classes"])
def test_a_change_that_a_reader_would_notice_is_noticed(name, tmp_path, monkeypatch):
    """Thresholds that are a hundredth off in the cards, and hyperplanes a hair aside."""
    tree = pictures.small_tree()
    shifted = np.where(tree.splits, tree.intercepts + 0.01, -1.0)
    other = ObliqueTree.from_dict(tree.to_dict() | {"intercepts": shifted.tolist()})
    monkeypatch.setattr(pictures, "small_tree", lambda: other)
    drawn = pictures.save(name, tmp_path)
    expected = pictures.BASELINE / drawn.name
    assert compare_images(str(expected), str(drawn), 10 * TOLERANCE) is not None


def test_every_baseline_belongs_to_a_picture():
    """No picture lies about that nothing is compared with."""
    assert {path.stem for path in pictures.BASELINE.glob("*.png")} == {*pictures.PICTURES}
