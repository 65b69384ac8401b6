"""What signals do to the command: SIGTERM is Ctrl-C, and neither disturbs a file being saved."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

_STOPS = (signal.SIGINT, signal.SIGTERM)
"""The signals that ask the command to stop."""


def stop_on_sigterm() -> None:
    """Let SIGTERM do from now on whatever Ctrl-C does at the moment it arrives."""
    signal.signal(signal.SIGTERM, _do_what_ctrl_c_does)


def _do_what_ctrl_c_does(signum: int, frame: FrameType | None) -> None:
    handler = signal.getsignal(signal.SIGINT)
    # A shell lets its background jobs ignore Ctrl-C, which is no reason to ignore this.
    (handler if callable(handler) else signal.default_int_handler)(signum, frame)


@contextmanager
def undisturbed() -> Iterator[None]:
    """Ignore requests to stop while the block runs; outside the main thread none arrives."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    previous = {signum: signal.signal(signum, signal.SIG_IGN) for signum in _STOPS}
    try:
        yield
    finally:
        for signum, handler in previous.items():
            signal.signal(signum, handler)
