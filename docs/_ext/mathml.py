"""Formulas as MathML, which browsers draw by themselves: no script, no font, no network."""

from typing import Any, NoReturn

from docutils.nodes import SkipNode
from latex2mathml.converter import convert


def write_inline(translator: Any, node: Any) -> NoReturn:
    """Write a formula within a line."""
    translator.body.append(convert(node.astext()))
    raise SkipNode


def write_block(translator: Any, node: Any) -> NoReturn:
    """Write a formula on lines of its own."""
    formula = convert(node.astext(), display="block")
    translator.body.append(f'<div class="math">{formula}</div>')
    raise SkipNode


def setup(app: Any) -> dict[str, bool]:
    """Tell Sphinx of the renderer."""
    app.add_html_math_renderer("mathml", (write_inline, None), (write_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
