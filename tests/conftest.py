"""What several test modules need."""

import os
import signal
from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("margintree", deadline=None, derandomize=True, max_examples=60)
settings.load_profile("margintree")

# What a shell starts in the background ignores Ctrl-C, and so would the processes of tests.
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def shared_data():
    """Return the folder with the data sets of the study, which lies beside the checkout."""
    folder = Path(__file__).parents[2] / "shared" / "data"
    if not folder.is_dir():
        reason = "the data sets of the study (../shared/data) are not here"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    return folder
