"""The entry point of the benchmarks knows every table and sees what has changed in one."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import run as benchmarks

ROOT = Path(__file__).parents[2]
OLD = """\
# 2026-01-01, a machine
set                     n      cost        s  proof
iris                   29   12.8161     0.50  optimal
wine 10 1              36    5.6512     1.00  optimal
zoo                    18    2.8878     0.25  limit
heart                  59   49.8168     0.30  limit
mean  20.29
total 4 s, the search missed 0 of 4
"""
NEW = """\
# 2026-02-02, another one
set                     n      cost        s  proof
iris                   29   12.8165     0.75  optimal
wine 10 1              36    5.7512     1.10  optimal
zoo                    18    2.8878     1.25  optimal
seeds                  42   15.6421     0.90  limit
mean  20.29
total 5 s, the search missed 1 of 4
"""


def scripts_with_a_table():
    """Return the scripts that print the line that begins a table."""
    return {
        path.name
        for path in (ROOT / "benchmarks").glob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom) and node.module == "about"
    }


def test_every_table_is_listed():
    """Every script that prints a table, and every table that is printed in the documentation."""
    commands = [table.command.split() for table in benchmarks.TABLES.values()]
    assert {script for script, *_ in commands} == scripts_with_a_table()
    printed = {path.stem for path in (ROOT / "docs" / "benchmarks").glob("*.txt")}
    assert printed <= benchmarks.TABLES.keys()


def test_differences_are_flagged():
    """Numbers beyond the tolerance and words that differ, but not times within a factor of two."""
    lines = list(benchmarks.comparison(OLD, NEW))
    assert [" ".join(line.split()) for line in lines] == [
        "iris 29 = 12.8161 12.8165 x1.50",
        "wine 10 1 36 = 5.6512 5.7512 ! x1.10",
        "zoo 18 2.8878 0.25 limit -> 18 2.8878 1.25 optimal !",
        "seeds new: 42 15.6421 0.90 limit",
        "mean 20.29 =",
        "total # s, the search missed # of # x1.25 0 1 ! 4 =",
        "1 rows of the last print are not in this run",
    ]


def test_the_tolerance_is_given():
    """A wider one forgives more; a time beyond the factor is flagged whatever it is."""
    slow = OLD.replace("0.50  opt", "1.50  opt").replace("5.6512", "5.7512")
    lines = [line for line in benchmarks.comparison(OLD, slow, tolerance=0.05) if "!" in line]
    assert [" ".join(line.split()) for line in lines] == ["iris 29 = 12.8161 = x3.00 !"]


@pytest.mark.parametrize("name", [*benchmarks.TABLES])
def test_a_printed_table_is_read_whole_and_is_like_itself(name):
    """No row hides another one, every row of numbers is compared, and none is flagged."""
    path = ROOT / "docs" / "benchmarks" / f"{name}.txt"
    if not path.exists():
        pytest.skip("not printed yet")
    text = path.read_text(encoding="utf-8")
    lines = [line for line in text.splitlines()[1:] if benchmarks.NUMBER.search(line)]
    assert len(benchmarks.read(text)) == len(lines) > 0
    assert not [line for line in benchmarks.comparison(text, text) if "!" in line]


def test_the_command_lists_tables_and_refuses_others():
    """The list has one line for each table; a table that is not there is refused with the list."""

    def call(*arguments):
        command = [sys.executable, str(ROOT / "benchmarks" / "run.py"), *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    assert len(call("--list").stdout.splitlines()) == len(benchmarks.TABLES)
    refused = call("nothing")
    assert refused.returncode == 2
    assert "there are budget_proofs, calibration" in refused.stderr
    assert "cannot replace" in call("exact", "--quick", "--write").stderr


@pytest.mark.parametrize(
    ("last_lines", "is_written"),
    [
        ("print('holds')", True),
        ("print('DOES NOT HOLD'); raise SystemExit(1)", True),
        ("raise ValueError('broken')", False),
    ],
)
def test_whole_tables_are_written(last_lines, is_written, tmp_path, monkeypatch, capsys):
    """A table that misses a bar is one; what a script printed before it broke is not."""
    script = tmp_path / "script.py"
    script.write_text(f"print('a row 1.5')\n{last_lines}\n", encoding="utf-8")
    monkeypatch.setattr(benchmarks, "TABLES", {"toy": benchmarks.Table(str(script))})
    monkeypatch.setattr(benchmarks, "PRINTED", tmp_path)
    monkeypatch.setattr(sys, "argv", ["run.py", "toy", "--write"])
    assert benchmarks.main() == ("'holds'" not in last_lines)
    assert (tmp_path / "toy.txt").exists() == is_written
    assert "a row 1.5" in capsys.readouterr().out
