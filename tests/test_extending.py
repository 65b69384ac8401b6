"""The pages for people who change the package: what they name is there."""

import re
from pathlib import Path

import pytest

from margintree.core.method import Method

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "margintree"
PAGES = ("extending.md", "design.md")
SOURCE = "\n".join(
    path.read_text(encoding="utf-8")
    for folder in (PACKAGE, ROOT / "tests")
    for path in sorted(folder.rglob("*.py"))
    if path != Path(__file__)
)
WORDS = {*re.findall(r"\w+", SOURCE)}
COMMIT = re.compile(r"[0-9a-f]{7}")


def names_in(page):
    """Return what a page writes as code inside its sentences."""
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    text = re.sub(r"```.*?```", "", text, flags=re.DOTALL)
    return {name for name in re.findall(r"`([^`\n]+)`", text) if not COMMIT.fullmatch(name)}


def is_there(name):
    """Tell whether a name is a path of the project, or a name of the package or its tests."""
    path = name.rstrip("/")
    if "/" in name:
        return any((folder / path).exists() for folder in (ROOT, PACKAGE))
    identifiers = re.findall(r"[A-Za-z_]\w*", re.sub(r"\(.*\)", "", name))
    return bool(identifiers) and all(word in WORDS for word in identifiers)


@pytest.mark.parametrize("page", PAGES)
def test_every_name_on_the_page_exists(page):
    """A renamed function or file would leave the page behind."""
    names = {name for name in names_in(page) if not name.startswith(("python ", "import "))}
    assert len(names) > 20
    sentences = {name for name in names if re.search(r"[><=]", name)}
    assert {name for name in names - sentences if not is_there(name)} == set()


def test_a_name_that_is_not_there_is_noticed():
    """The test above can fail."""
    assert not is_there("exact/programs/no_such_file.py")
    assert not is_there("try_hyperplane_twice")
    assert not is_there("margintree.search.loop.walk_in_circles")
    assert is_there("exact/programs/")
    assert is_there("margintree.search.loop.run")


def test_the_page_sketches_a_method_with_the_methods_that_there_are():
    """Each function of the sketch is one of `Method`, and each required one is in the sketch."""
    text = (ROOT / "docs" / "extending.md").read_text(encoding="utf-8")
    (sketch,) = re.findall(r"class BalancedError\(Method\):.*?```", text, re.DOTALL)
    functions = {*re.findall(r"def (\w+)", sketch)}
    assert functions <= {*dir(Method)}
    assert Method.__abstractmethods__ <= functions
    for attribute in ("name", "label", "terms", "candidates", "ways"):
        assert re.search(rf"\b{attribute}\b", sketch)
        assert attribute in {*Method.__annotations__, *dir(Method)}


def test_the_page_has_a_section_for_everything_that_can_be_added():
    """A method, a norm, a rule, a solver and an export."""
    text = (ROOT / "docs" / "extending.md").read_text(encoding="utf-8")
    sections = re.findall(r"^## An? (.+)$", text, re.MULTILINE)
    assert {*sections} >= {"method", "margin term", "rule", "solver", "export"}
