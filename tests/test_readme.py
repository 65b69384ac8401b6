"""The README tells the truth: its example prints what it says, its commands are those of CI."""

import contextlib
import io
import re
import runpy
import tomllib
from pathlib import Path

import matplotlib.pyplot as plt
import pytest

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def blocks(language):
    """Return the fenced blocks of a language."""
    return re.findall(rf"```{language}\n(.*?)```", README, flags=re.DOTALL)


def test_the_example_prints_what_the_readme_says():
    """To the last digit: round numbers do not depend on the machine's arithmetic."""
    names = {}
    for code, expected in zip(blocks("python"), blocks("text"), strict=True):
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            exec(compile(code, "README.md", "exec"), names)
        assert out.getvalue() == expected


def test_the_example_is_short():
    """About ten lines are enough to get going."""
    assert len([line for line in blocks("python")[0].splitlines() if line.strip()]) <= 12


def test_the_picture_is_drawn_by_the_example_that_it_names():
    """The example runs and draws one figure of the picture's shape."""
    (picture, script) = re.search(r"\]\((\S+\.png)\).*?\((examples/\S+)\)", README, re.S).groups()
    plt.close("all")
    runpy.run_path(str(ROOT / script))
    (number,) = plt.get_fignums()
    drawn = plt.figure(number).get_size_inches()
    plt.close("all")
    height, width, _ = plt.imread(ROOT / picture).shape
    assert width / height == pytest.approx(drawn[0] / drawn[1], rel=0.01)


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md", "CHANGELOG.md"])
def test_every_link_within_the_repository_leads_somewhere(page):
    """Files move; those of ``docs`` are checked when the site is built."""
    text = (ROOT / page).read_text(encoding="utf-8")
    links = [link for link in re.findall(r"\]\(([^)#]+)\)", text) if "://" not in link]
    assert [link for link in links if not (ROOT / link).exists()] == []


def test_ci_runs_the_test_command_of_the_readme():
    """The last line of .ci/run is the README's second command, word for word."""
    demo, test = [line for block in blocks("sh") for line in block.splitlines() if line][:2]
    assert demo.endswith(".venv/bin/margintree demo")
    assert test.endswith(".venv/bin/pytest")
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert script.rstrip().splitlines()[-1] == test


def test_the_citation_has_the_version_of_the_package():
    """CITATION.cff is written by hand and must not drift."""
    from margintree import __version__

    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"\nversion: {__version__}\n" in citation


def test_the_source_archive_holds_what_is_there():
    """Every entry exists, and every document of the root is among them."""
    build = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["hatch"]
    entries = set(build["build"]["targets"]["sdist"]["include"])
    assert all((ROOT / entry).exists() for entry in entries)
    assert {path.name for path in ROOT.glob("*.md")} | {"CITATION.cff", "docs"} <= entries
