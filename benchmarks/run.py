"""Run the tables of the benchmarks, and compare them with the last printed ones.

    python benchmarks/run.py --list                # what there is
    python benchmarks/run.py exact --quick         # a short form of one table
    python benchmarks/run.py exact --compare       # beside docs/benchmarks/exact.txt
    python benchmarks/run.py exact --write         # replaces that file

Without names all tables are run, one after the other, which takes hours. A comparison shows the
old and the new numbers of every row side by side, or one of them where they are equal ("8.81 =").
What differs is flagged ("!"): words, and numbers by more than the tolerance. Times and memory
depend on the machine: they are shown as ratios, new to old, and flagged beyond a factor of two.
Short forms have fewer rows and shorter time limits, so flags in them need not mean anything.
"""

import argparse
import math
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
PRINTED = HERE.parent / "docs" / "benchmarks"
TOLERANCE = 1e-3
"""Largest relative difference of two numbers that are computed, not measured."""
TINY = 1e-6
"""Numbers that differ by less are the same, whatever their ratio."""
FACTOR = 2.0
"""Largest ratio of two times, or of two amounts of memory, on a machine with other work."""
NUMBER = re.compile(r"(?<![\w.-])[-+]?\d+(?:\.\d+)?(?:e[-+]\d+)?(?!\w)")
MEASURED = re.compile(r"(?:^|\s)(?:s|seconds|GiB|ratio|growth)(?:\s|$)")
"""Words in the heading of a column that is measured, or the quotient of two that are."""
SHORTFALL = "DOES NOT HOLD"
"""The last line of a table that is complete but misses a bar."""
UNIT = re.compile(r" (?:s|MiB|GiB|times)\b")
"""What follows a measured number in a sentence."""


@dataclass(frozen=True)
class Table:
    """A script with the arguments that print a table, and those that make it short, if any."""

    command: str
    quick: str | None = None


TABLES = {
    "budget_proofs": Table("budget_proofs.py --seconds 30", "--quick"),
    "calibration": Table("calibration.py", "--quick"),
    "card": Table("card.py", "--quick"),
    "class_trees_accuracy": Table("class_trees.py accuracy", "--quick"),
    "class_trees_letter": Table("class_trees.py letter"),
    "class_trees_proofs": Table("class_trees.py proofs", "--quick"),
    "defaults": Table("defaults.py --divisions 1", "--quick"),
    "exact": Table("exact.py", "--quick"),
    "fresh_divisions": Table("fresh_divisions.py", "iris wine"),
    "many_columns": Table("many_columns.py", "--quick"),
    "perspective": Table("perspective.py --seconds 10", "--quick"),
    "norms": Table("norms.py", "--quick"),
    "proofs_agreement": Table("proofs.py agreement --seconds 3", "--quick"),
    "proofs_certificate": Table("proofs.py certificate"),
    "proofs_folds": Table(
        "proofs.py folds --seconds 5 --rows docs/benchmarks/proofs_folds.jsonl", "--quick"
    ),
    "proofs_growth": Table("proofs.py growth", "--quick"),
    "proofs_misses": Table("proofs.py misses", "--quick"),
    "proofs_whole": Table("proofs.py whole --seconds 120"),
    "readable": Table("readable.py", "--quick"),
    "rivals": Table("rivals.py", "--quick"),
    "scale_accuracy": Table("scale.py accuracy"),
    "scale_choice": Table("scale.py choice"),
    "scale_cold": Table("scale.py cold"),
    "scale_leaks": Table("scale.py leaks", "--fits 100"),
    "scale_rows": Table("scale.py rows", "--rows 10000"),
    "search_vs_exact_default": Table("search_vs_exact.py default", "--quick"),
    "search_vs_exact_proved": Table("search_vs_exact.py proved", "--quick"),
    "search_vs_exact_search": Table(
        "search_vs_exact.py search --rows docs/benchmarks/exact_alone.jsonl", "--quick"
    ),
    "spaces_study": Table("spaces.py study", "--quick"),
    "spaces_tables": Table("spaces.py tables", "--quick"),
    "supports": Table("supports.py", "--quick"),
    "search_vs_exact_seeds": Table("search_vs_exact.py seeds", "--quick"),
}
"""All tables by the names of their files in ``docs/benchmarks``. A new one is a new line here."""


@dataclass(frozen=True)
class Row:
    """A line of a table without its name: its numbers, and which of them are measured."""

    text: str
    numbers: tuple[str, ...]
    is_measured: tuple[bool, ...]


def read(text: str) -> dict[tuple[str, str], Row]:
    """Return the lines of a table that have numbers, by their heading and their first cell.

    Cells are parted by two spaces or more. A line of one cell is a sentence.
    """
    rows: dict[tuple[str, str], Row] = {}
    heading, columns = "", []
    for line in text.splitlines():
        cells = list(re.finditer(r"\S+(?: \S+)*", line))
        if line.startswith("#") or not cells:
            continue
        if not NUMBER.search(line):
            if len(cells) > 1:
                heading, columns = line, [(cell.end(), cell[0]) for cell in cells]
            continue
        is_row = len(cells) > 1
        key, start = (cells[0][0], cells[0].end()) if is_row else (NUMBER.sub("#", line), 0)
        found = list(NUMBER.finditer(line, start))
        measured = (
            UNIT.match(line, n.end())
            or (is_measured_column(n.end(), columns) if is_row else "ratio" in line[: n.start()])
            for n in found
        )
        rest = " ".join(line[start:].split())
        rows[heading, key] = Row(rest, tuple(n[0] for n in found), tuple(map(bool, measured)))
    return rows


def is_measured_column(end: int, columns: list[tuple[int, str]]) -> bool:
    """Tell whether a number that ends there is in a column of times or the like.

    If the first cell of the heading is a measure, it is that of all columns.
    """
    titles = [name for _, name in columns[:1]]
    titles += [name for stop, name in columns if end <= stop][:1]
    return any(map(MEASURED.search, titles))


def differs(old: str, new: str, is_measured: bool, tolerance: float) -> bool:
    """Tell whether two numbers differ beyond what is allowed."""
    a, b = float(old), float(new)
    if is_measured and min(a, b) > 0:
        return max(a, b) / min(a, b) > FACTOR
    return not is_measured and not math.isclose(a, b, rel_tol=tolerance, abs_tol=TINY)


def beside(old: str, new: str, is_measured: bool, tolerance: float) -> str:
    """Return two numbers side by side; an exclamation mark flags the pair."""
    mark = " !" if differs(old, new, is_measured, tolerance) else ""
    if is_measured and float(old):
        return f"x{float(new) / float(old):.2f}{mark}"
    return f"{old} ={mark}" if old == new else f"{old} {new}{mark}"


def comparison(old_text: str, new_text: str, tolerance: float = TOLERANCE) -> Iterator[str]:
    """Yield one line for each row, old numbers first. A flagged one ends with what differs."""
    old, new = read(old_text), read(new_text)
    for place, row in new.items():
        name, last = f"{place[1]:34}", old.get(place)
        if last is None:
            yield f"{name}  new: {row.text}"
        elif NUMBER.sub("#", last.text) != NUMBER.sub("#", row.text):
            yield f"{name}  {last.text}  ->  {row.text} !"
        else:
            pairs = zip(last.numbers, row.numbers, row.is_measured, strict=True)
            yield "  ".join([name, *(beside(*pair, tolerance) for pair in pairs)])
    if gone := len(old.keys() - new.keys()):
        yield f"{gone} rows of the last print are not in this run"


def run(table: Table, quick: bool) -> tuple[bool, str]:
    """Run a script, show what it prints, and return whether it succeeded and its output."""
    script, *arguments = f"{table.command} {table.quick if quick else ''}".split()
    command = [sys.executable, str(HERE / script), *arguments]
    lines = []
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=HERE.parent) as process:
        for line in process.stdout or ():
            print(line, end="", flush=True)
            lines += [line]
    return process.returncode == 0, "".join(lines)


def show_comparison(path: Path, text: str, tolerance: float) -> int:
    """Print the comparison with the last printed table, and return how many rows are flagged."""
    last = path.read_text(encoding="utf-8") if path.exists() else ""
    lines = list(comparison(last, text, tolerance))
    flagged = sum(" !" in line for line in lines)
    print("last printed, this run:", *lines, sep="\n")
    print(f"{path.name}: {flagged} rows differ (numbers by {tolerance:g}, times by {FACTOR:g}x)")
    return flagged


def main() -> int:
    """Run what the command line asks for."""
    verbatim = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=verbatim)
    parser.add_argument("names", nargs="*", metavar="NAME", help="tables; by default all")
    parser.add_argument("--list", action="store_true", help="list the tables and run nothing")
    parser.add_argument("--quick", action="store_true", help="short forms, where there are any")
    parser.add_argument("--compare", action="store_true", help="compare with the last printed ones")
    parser.add_argument("--tolerance", type=float, default=TOLERANCE, help="relative")
    parser.add_argument("--write", action="store_true", help="write to docs/benchmarks")
    given = parser.parse_args()
    unknown = [name for name in given.names if name not in TABLES]
    if unknown:
        parser.error(f"no table {', '.join(unknown)}; there are {', '.join(TABLES)}")
    if given.write and given.quick:
        parser.error("a short form cannot replace a printed table: leave out --quick or --write")
    wrong = []
    for name in given.names or TABLES:
        table, path = TABLES[name], PRINTED / f"{name}.txt"
        print(f"{name}: {table.command}", "" if table.quick else "(no short form)")
        if given.list or (given.quick and table.quick is None):
            continue
        succeeded, text = run(table, given.quick)
        flagged = show_comparison(path, text, given.tolerance) if given.compare else 0
        wrong += [name] if flagged or not succeeded else []
        if given.write and (succeeded or text.rstrip().endswith(SHORTFALL)):
            path.write_text(text, encoding="utf-8")
    if wrong:
        print(f"failed, or differs from the last print: {', '.join(wrong)}")
    return bool(wrong)


if __name__ == "__main__":
    raise SystemExit(main())
