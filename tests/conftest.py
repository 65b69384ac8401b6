"""What several test modules need."""

import os
import signal
from pathlib import Path

import pytest
from hypothesis import settings

from margintree.data.datasets import DATA_VARIABLE

settings.register_profile("margintree", deadline=None, derandomize=True, max_examples=60)
settings.load_profile("margintree")

# What a shell starts in the background ignores Ctrl-C, and so would the processes of tests.
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def shared_data():
    """Return the folder with the data sets of the study: MARGINTREE_DATA, or ../shared/data."""
    beside = Path(__file__).parents[2] / "shared" / "data"
    folder = Path(os.environ.get(DATA_VARIABLE) or beside)
    if not folder.is_dir():
        reason = f"the data sets of the study are not here ({DATA_VARIABLE}, or ../shared/data)"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    return folder
