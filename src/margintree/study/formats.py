"""Writers of tables: for terminals, Markdown, LaTeX, web pages and CSV files."""

import html
import re
from collections.abc import Callable, Iterable, Sequence
from itertools import groupby
from operator import attrgetter
from typing import Any

from rich import box
from rich.console import Group
from rich.table import Table as RichTable
from rich.text import Text

from margintree.data.tables import csv_text
from margintree.study.result_tables import Cell, Line, ResultTable

_LATEX = {
    **{character: f"\\{character}" for character in "&%$#_{}"},
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "±": r"$\pm$",
    "−": "$-$",
    "–": "--",
}
_PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>{title}</title>
<style>
body {{ font-family: sans-serif; margin: 2em; }}
table {{ border-collapse: collapse; margin-bottom: 2em; }}
caption {{ text-align: left; font-weight: bold; padding: 0.5em 0; }}
th, td {{ padding: 0.15em 0.7em; text-align: right; white-space: nowrap; }}
thead th {{ border-bottom: 1px solid; vertical-align: bottom; white-space: normal; }}
tfoot tr:first-child > * {{ border-top: 1px solid; }}
.name {{ text-align: left; }}
</style>
</head>
<body>
{body}
</body>
</html>
"""


def terminal(tables: Iterable[ResultTable], notes: Iterable[str]) -> Group:
    """Return tables and notes for a rich console."""
    parts: list[Any] = []
    for table in tables:
        parts += [_rich(table), ""]
    return Group(*parts, *map(Text, notes))


def markdown(tables: Iterable[ResultTable], notes: Iterable[str]) -> str:
    r"""Return tables and notes as Markdown.

    Examples
    --------
    >>> table = ResultTable("T", ("set", "a|b"), ((Cell("iris"), Cell("95", is_best=True)),), ())
    >>> print(markdown([table], ["a note"]), end="")
    **T**
    <BLANKLINE>
    | set | a\|b |
    |---|---:|
    | iris | **95** |
    <BLANKLINE>
    - a note
    """
    parts = []
    for table in tables:
        rules = ["---" if j < table.n_names else "---:" for j in range(len(table.columns))]
        lines = [_piped(map(_markdown_text, table.columns)), f"|{'|'.join(rules)}|"]
        lines += [_piped(map(_markdown_cell, line)) for line in (*table.rows, *table.foot)]
        parts += [f"**{_markdown_text(table.title)}**", "\n".join(lines)]
    listed = "\n".join(f"- {_markdown_text(note)}" for note in notes)
    return "\n\n".join([*parts, *([listed] if listed else [])]) + "\n"


def latex(tables: Iterable[ResultTable], notes: Sequence[str]) -> str:
    r"""Return tables and notes as LaTeX that needs no package.

    Examples
    --------
    >>> table = ResultTable("T", ("set", "a_b"), ((Cell("iris"), Cell("95", is_best=True)),), ())
    >>> r"iris & \textbf{95} \\" in latex([table], [])
    True
    """
    parts = [_latex_table(table) for table in tables]
    lines = [rf"\noindent {_latex_text(note)}\par" for note in notes]
    return "\n\n".join([*parts, *(["\n".join(lines)] if lines else [])]) + "\n"


def web_page(tables: Sequence[ResultTable], notes: Iterable[str]) -> str:
    """Return tables and notes as an HTML page; markup in cells is shown as text.

    Examples
    --------
    >>> table = ResultTable("T", ("set",), ((Cell("<b>"),),), ())
    >>> "&lt;b&gt;" in web_page([table], [])
    True
    """
    parts = [_html_table(table) for table in tables]
    parts += [f"<p>{html.escape(note)}</p>" for note in notes]
    title = tables[0].title if tables else "study"
    return _PAGE.format(title=html.escape(title), body="\n".join(parts))


def _rich(table: ResultTable) -> RichTable:
    made = RichTable(title=Text(table.title), title_justify="left", box=box.SIMPLE_HEAD)
    for j, head in enumerate(table.columns):
        is_name = j < table.n_names
        made.add_column(Text(head), justify="left" if is_name else "right", no_wrap=is_name)
    for i, line in enumerate((*table.rows, *table.foot), start=1):
        cells = (Text(cell.text, style="bold" if cell.is_best else "") for cell in line)
        made.add_row(*cells, end_section=i == len(table.rows))
    return made


def _piped(texts: Iterable[str]) -> str:
    return f"| {' | '.join(texts)} |"


def _markdown_cell(cell: Cell) -> str:
    text = _markdown_text(cell.text)
    return f"**{text}**" if cell.is_best else text


def _markdown_text(text: str) -> str:
    """Return text with all markup escaped; bare links still work."""
    return re.sub(r"([\\`*_\[\]<>|])", r"\\\1", " ".join(text.split()))


def _latex_table(table: ResultTable) -> str:
    kinds = "l" * table.n_names + "r" * (len(table.columns) - table.n_names)
    heads = " & ".join(map(_latex_text, table.columns))
    lines = [
        r"\begin{table}",
        r"\centering",
        rf"\caption{{{_latex_text(table.title)}}}",
        rf"\begin{{tabular}}{{{kinds}}}",
        rf"\hline {heads} \\",
        *_latex_lines(table.rows),
        *_latex_lines(table.foot),
        r"\hline",
        r"\end{tabular}",
        r"\end{table}",
    ]
    return "\n".join(lines)


def _latex_lines(lines: Sequence[Line]) -> list[str]:
    texts = [" & ".join(map(_latex_cell, line)) for line in lines]
    return [r"\hline", *(rf"{text} \\" for text in texts)] if texts else []


def _latex_cell(cell: Cell) -> str:
    text = _latex_text(cell.text)
    return rf"\textbf{{{text}}}" if cell.is_best else text


def _latex_text(text: str) -> str:
    return "".join(_LATEX.get(character, character) for character in text)


def _html_table(table: ResultTable) -> str:
    head = _html_line(map(Cell, table.columns), table.n_names, "th")
    return "\n".join(
        [
            f"<table>\n<caption>{html.escape(table.title)}</caption>",
            f"<thead>\n{head}\n</thead>",
            *_html_part("tbody", table.rows, table.n_names),
            *_html_part("tfoot", table.foot, table.n_names),
            "</table>",
        ]
    )


def _html_part(tag: str, lines: Sequence[Line], n_names: int) -> list[str]:
    return [f"<{tag}>", *(_html_line(line, n_names, "td") for line in lines), f"</{tag}>"]


def _html_line(cells: Iterable[Cell], n_names: int, tag: str) -> str:
    """Return a row of cells, with its names as headings."""
    made = []
    for j, cell in enumerate(cells):
        text = html.escape(cell.text)
        inner = f"<strong>{text}</strong>" if cell.is_best else text
        made.append(f'<th class="name">{inner}</th>' if j < n_names else f"<{tag}>{inner}</{tag}>")
    return f"<tr>{''.join(made)}</tr>"


def csv_lines(tables: Iterable[ResultTable], _notes: Iterable[str]) -> str:
    r"""Return the cells of tables as CSV for programs, without the notes.

    The first column is the title of the table. Tables with the same columns share a heading; a
    blank line separates them from others.

    Examples
    --------
    >>> table = ResultTable("T", ("data set", "a"), ((Cell("iris"), Cell("95")),), ())
    >>> csv_lines([table], ["a note"])
    'table,data_set,a\nT,iris,95\n'
    """
    return "\n".join(
        csv_text(
            ["table", *(head.replace(" ", "_") for head in columns)],
            (
                [table.title, *(cell.text for cell in line)]
                for table in alike
                for line in (*table.rows, *table.foot)
            ),
        )
        for columns, alike in groupby(tables, key=attrgetter("columns"))
    )


WRITERS: dict[str, Callable[[Sequence[ResultTable], Sequence[str]], str]] = {
    "markdown": markdown,
    "latex": latex,
    "html": web_page,
    "csv": csv_lines,
}
"""The writers by the name of their format."""
