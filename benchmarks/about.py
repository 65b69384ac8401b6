"""What a table was made with: machine, versions, commit and date."""

import datetime
import os
import platform
from importlib import metadata

from margintree.study.store import source_commit

PACKAGES = ("margintree", "numpy", "scipy", "scikit-learn", "numba", "PySCIPOpt", "highspy")


def about() -> str:
    """Return one line on the machine, the versions and the source."""
    versions = ", ".join(f"{name} {metadata.version(name)}" for name in PACKAGES)
    return (
        f"# {datetime.date.today()}, {platform.machine()}, {os.cpu_count()} cores, "
        f"Python {platform.python_version()}, {versions}, commit {short(source_commit())}"
    )


def short(commit: str) -> str:
    """Return the first digits of a commit, with its plus if files have changed since."""
    return f"{commit[:10]}{'+' * commit.endswith('+')}" if commit else "unknown"
