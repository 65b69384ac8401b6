"""What model files say, taken apart and changed."""

import json
from pathlib import Path

from hypothesis import strategies as st

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
