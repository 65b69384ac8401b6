"""What the project says of itself agrees: its sessions, its workflow and its oldest versions."""

import re
import tomllib
from itertools import chain
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
NOXFILE = (ROOT / "noxfile.py").read_text(encoding="utf-8")
SESSIONS = set(re.findall(r"@nox\.session\(.*\)\ndef (\w+)", NOXFILE))
PYTHONS = re.findall(r'"(3\.\d+)"', re.search(r"^PYTHONS = (.*)$", NOXFILE, re.MULTILINE)[1])


def test_every_package_has_an_oldest_version():
    """The oldest session pins each package to the version after its only bound, ``>=``."""
    groups = [PROJECT["dependencies"], *PROJECT["optional-dependencies"].values()]
    packages = [one for one in chain(*groups) if not one.startswith("margintree[")]
    pattern = re.compile(r"[\w-]+>=\d+(\.\d+)*(; .+)?")
    assert [one for one in packages if not pattern.fullmatch(one)] == []


def test_the_workflow_calls_every_session():
    """Those of several Pythons with each of them, and nothing that the noxfile does not have."""
    workflow = (ROOT / ".github" / "workflows" / "tests.yml").read_text(encoding="utf-8")
    called = re.findall(r'session: ([\w.-]+), python: "([\d.]+)"', workflow)
    tests = {(f"tests-{python}", python) for python in PYTHONS}
    assert set(called) == tests | {(name, "3.11") for name in SESSIONS - {"tests"}}


@pytest.mark.parametrize("session", sorted(SESSIONS))
def test_contributing_names_every_session(session):
    """With the command that runs it."""
    assert f"nox -s {session}" in (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")


def test_the_same_tests_run_without_compilation_everywhere():
    """Those of the noxfile, by name, are those of .ci/run, and they are there."""
    (listed,) = re.findall(r"^KERNEL_TESTS = \((.*?)\)$", NOXFILE, re.MULTILINE | re.DOTALL)
    paths = re.findall(r'"(.+?)"', listed)
    assert f"pytest -q {' '.join(paths)}\n" in (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert all((ROOT / path).exists() for path in paths)


def test_the_oldest_python_is_tested_first():
    """The sessions begin with the version that the package asks for."""
    assert PROJECT["requires-python"] == f">={PYTHONS[0]}"
