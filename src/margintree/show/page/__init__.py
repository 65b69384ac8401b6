"""One self-contained interactive HTML page about a tree, made of plain data.

The page contains its style, script and data and loads nothing else; its content security policy
lets nothing else run. A mapping of plain data describes its content::

    tree        the entries of ObliqueTree.to_dict()
    asked       the same over raw columns and their products, if splits see products; optional
    shares      the class shares of every leaf
    features    names of the features and of products; optional
    conditions  the features that are 1 where their name holds and 0 elsewhere; optional
    columns     the columns of Encoding.to_dict() if features are made from a table; optional
    classes     names of the classes, first those of the tree in the order of its codes; optional
    whole       the columns that hold whole numbers only; optional
    margins     whether splits have margins to show; true by default
    fit         cost, proof and progress of the fit; optional
    evaluation  predictions for rows; optional
    path        the trees between which a slider switches; optional

`margintree.show.report` describes the last three.
"""

import base64
import hashlib
import html
import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from string import Template
from typing import Any

SCRIPTS = (
    "tree",
    "table",
    "changes",
    "page",
    "boxes",
    "drawing",
    "node",
    "fields",
    "row",
    "quality",
    "fit",
    "rules",
    "path",
    "start",
)
"""The parts of the script in their order."""

_ESCAPES = {ord(letter): f"\\u{ord(letter):04x}" for letter in "<>&\u2028\u2029"}


def render(title: str, content: Mapping[str, Any]) -> str:
    """Return the page with this content, described above, as the text of an HTML file.

    Examples
    --------
    >>> from margintree import ObliqueTree
    >>> tree = ObliqueTree.stump([2.0], -1.0, leaf_classes=[0, 1], n_classes=2)
    >>> page = render("<b>", {"tree": tree.to_dict(), "shares": tree.leaf_shares().tolist()})
    >>> "<title>&lt;b&gt;</title>" in page
    True
    """
    style = _asset("report.css")
    script = "\n".join(_asset(f"script/{name}.js") for name in SCRIPTS)
    return Template(_asset("template.html")).substitute(
        title=html.escape(title),
        policy=f"default-src 'none'; style-src '{_digest(style)}'; script-src '{_digest(script)}'; "
        "base-uri 'none'; form-action 'none'",
        style=style,
        script=script,
        data=embedded(content),
    )


def embedded(content: Any) -> str:
    r"""Return plain data as JSON that cannot end the HTML element around it.

    Examples
    --------
    >>> embedded({"name": "</script>"})
    '{"name":"\\u003c/script\\u003e"}'
    """
    text = json.dumps(content, allow_nan=False, ensure_ascii=False, separators=(",", ":"))
    return text.translate(_ESCAPES)


def framed(page: str) -> str:
    """Return HTML that shows a page inside another; the two cannot affect each other.

    Examples
    --------
    >>> framed("<p>")[:40]
    '<iframe class="margintree" title="Decisi'
    """
    return (
        '<iframe class="margintree" title="Decision tree" sandbox="allow-scripts" width="100%" '
        f'height="700" style="border: 0" srcdoc="{html.escape(page)}"></iframe>'
    )


@cache
def _asset(name: str) -> str:
    return files("margintree.show.page").joinpath(name).read_text(encoding="utf-8")


def _digest(text: str) -> str:
    """Return the fingerprint of a text in the form of content security policies."""
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
