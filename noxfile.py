"""The checks of the project, one command each: ``nox -l`` lists them, ``nox -s lint`` runs one.

``pip install nox`` is all that is needed: every session makes an environment of its own. What comes
after ``--`` goes to pytest, for instance ``nox -s tests-3.12 -- -k "not browser"``.
"""

from pathlib import Path

import nox

nox.options.sessions = ["lint", "types", "tests-3.11", "docs"]
PYTHONS = ("3.11", "3.12", "3.13", "3.14")
ALL_CORES = ("--numprocesses=auto", "--dist=loadfile")
COVERAGE = ("--cov", "--cov-report=")
# These also run without compilation: there an index out of range is an error instead of a wrong
# number, and coverage sees the lines.
KERNEL_TESTS = (
    "tests/lib/test_svm.py",
    "tests/search/margin/kernels",
    "tests/search/axis/test_kernels.py",
)
UNCOMPILED = {"NUMBA_DISABLE_JIT": "1"}
# Old packages use what newer ones call outdated, and the linear machines of an old scikit-learn
# sometimes end early. Neither is a fault of ours.
OLD_PACKAGES = tuple(
    f"--pythonwarnings=default::{kind}"
    for kind in (
        "DeprecationWarning",
        "PendingDeprecationWarning",
        "sklearn.exceptions.ConvergenceWarning",
    )
)


def oldest_versions() -> str:
    """Return constraints that pin each package to the oldest version that pyproject.toml allows."""
    project = nox.project.load_toml("pyproject.toml")["project"]
    groups = [project["dependencies"], *project["optional-dependencies"].values()]
    wanted = [one for group in groups for one in group if not one.startswith("margintree[")]
    return "\n".join(one.replace(">=", "==", 1) for one in wanted) + "\n"


@nox.session(python="3.11")
def lint(session: nox.Session) -> None:
    """Check the style of all files."""
    session.install("ruff")
    session.run("ruff", "check", ".")
    session.run("ruff", "format", "--check", ".")


@nox.session(python="3.11")
def types(session: nox.Session) -> None:
    """Check all types."""
    session.install("-e", ".[test]")
    session.run("mypy")


@nox.session(python=PYTHONS)
def tests(session: nox.Session) -> None:
    """Run all tests, on all cores."""
    session.install("-e", ".[test]")
    session.run("pytest", *KERNEL_TESTS, env=UNCOMPILED)
    session.run("pytest", *ALL_CORES, *session.posargs)


@nox.session(python="3.11")
def oldest(session: nox.Session) -> None:
    """Run all tests on the oldest versions that pyproject.toml allows."""
    constraints = Path(session.create_tmp()) / "oldest.txt"
    constraints.write_text(oldest_versions(), encoding="utf-8")
    session.install("-e", ".[test]", "--constraint", str(constraints))
    session.run("pytest", *ALL_CORES, *OLD_PACKAGES, *session.posargs)


@nox.session(python="3.11")
def coverage(session: nox.Session) -> None:
    """Measure which lines the tests run, and fail below the floor in pyproject.toml."""
    session.install("-e", ".[test]")
    quiet = (*COVERAGE, "--cov-fail-under=0")
    session.run("pytest", *quiet, *KERNEL_TESTS, env=UNCOMPILED)
    shown = ("--cov-append", "--cov-report=term:skip-covered")
    session.run("pytest", *ALL_CORES, *COVERAGE, *shown, *session.posargs)


@nox.session(python="3.11")
def docs(session: nox.Session) -> None:
    """Build the site: every example is run and every warning is an error."""
    session.install("-e", ".[docs]")
    options = ("-W", "--keep-going", "-q", "-b", "html")
    session.run("sphinx-build", *options, "docs", "docs/_build/html")
