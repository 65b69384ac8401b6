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
    commit = source_commit()[:10] or "unknown"
    return (
        f"# {datetime.date.today()}, {platform.machine()}, {os.cpu_count()} cores, "
        f"Python {platform.python_version()}, {versions}, commit {commit}"
    )
