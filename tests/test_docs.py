"""The site leaves out no public name; the rest of it is checked when it is built."""

import re
from pathlib import Path

import margintree

DOCS = Path(__file__).parents[1] / "docs"


def test_the_reference_lists_every_public_name():
    """Names come and go; the page of the reference must follow."""
    text = (DOCS / "api.md").read_text(encoding="utf-8")
    listed = {*re.findall(r"^   (\w+)$", text, re.MULTILINE)}
    assert listed == {*margintree.__all__} - {"__version__"}
