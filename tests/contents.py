"""What model files say, taken apart and changed."""

import json
from pathlib import Path

import pytest
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from margintree import ModelFileError, from_json

SCHEMA = json.loads(
    (Path(__file__).parents[1] / "docs" / "model-format.schema.json").read_text(encoding="utf-8")
)

anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=4,
)


def places(data):
    """Yield the holder and key of every entry, at any depth."""
    keys = data if isinstance(data, dict) else range(len(data)) if isinstance(data, list) else ()
    for key in keys:
        yield data, key
        yield from places(data[key])


def edited(content, where, value):
    """Return the content with one entry, at a dotted place, replaced."""
    *outer, last = where.split(".")
    copy = json.loads(json.dumps(content))
    holder = copy
    for name in outer:
        holder = holder[int(name) if isinstance(holder, list) else name]
    holder[last] = value
    return copy


def check_refusals(data, content, part):
    """Replace or remove any entry of a part: what the schema then refuses is not read either."""
    holder, key = data.draw(st.sampled_from(list(places(part))))
    if data.draw(st.booleans()):
        holder[key] = data.draw(anything)
    else:
        del holder[key]
    if not Draft202012Validator(SCHEMA).is_valid(content):
        with pytest.raises(ModelFileError):
            from_json(json.dumps(content))
