"""What a table was made with: machine, versions and date."""

import datetime
import os
import platform
from importlib import metadata

PACKAGES = ("margintree", "numpy", "scipy", "scikit-learn", "numba", "PySCIPOpt", "highspy")


def about() -> str:
    """Return one line on the machine and the versions."""
    versions = ", ".join(f"{name} {metadata.version(name)}" for name in PACKAGES)
    return (
        f"# {datetime.date.today()}, {platform.machine()}, {os.cpu_count()} cores, "
        f"Python {platform.python_version()}, {versions}"
    )
