"""The types of labels that files can hold."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from margintree import InvalidInputError
from margintree.data.label_types import LABEL_TYPES, check_text, is_unicode, label_type

by_type = {
    "str": st.text(st.characters(exclude_categories=["Cs"])),
    "int": st.integers(),
    "float": st.floats(allow_nan=False),
    "bool": st.booleans(),
}


@pytest.mark.parametrize("name", LABEL_TYPES)
@given(data=st.data())
def test_labels_of_one_type_are_recognised(name, data):
    """Booleans are not integers here, though Python takes them for such."""
    labels = data.draw(st.lists(by_type[name], min_size=1))
    assert label_type(labels) == name


@pytest.mark.parametrize(
    "labels", [["a", 1], [1, True], [1, 1.0], [None], [np.int64(1)], [("a", "b")]]
)
def test_labels_of_several_or_other_types_are_refused(labels):
    """The message lists the allowed types and the given labels."""
    with pytest.raises(InvalidInputError, match="all are text, all integers, all floats"):
        label_type(labels)


@given(st.text(st.characters()))
def test_text_is_unicode_if_it_can_be_encoded(text):
    """UTF-8 itself is the judge."""
    try:
        text.encode()
    except UnicodeEncodeError:
        assert not is_unicode(text)
        with pytest.raises(InvalidInputError, match=r"surrogate pair in it\. Rename it"):
            check_text(["fine", text])
    else:
        assert is_unicode(text)
        check_text([text])
