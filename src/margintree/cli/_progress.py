"""The progress of a fit in one line."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.live import Live
from rich.text import Text

from margintree.core.result import TracePoint, relative_gap


class ProgressLine:
    """The seconds so far, the progress of a choice, and the latest cost, bound and gap.

    Examples
    --------
    >>> line = ProgressLine(now=lambda: 2.0)
    >>> line(TracePoint(seconds=1.0, objective=8.0, bound=6.0))
    >>> str(line.__rich__())
    'fitting   0.0 s   cost 8   bound 6   gap 25.0%   (Ctrl-C keeps the best tree so far)'

    A choice by cross-validation describes its progress in words.

    >>> line = ProgressLine(now=lambda: 2.0)
    >>> line.tell("fold 1 of 4")
    >>> str(line.__rich__())
    'choosing   0.0 s   fold 1 of 4   (Ctrl-C keeps the best tree so far)'
    """

    def __init__(self, now: Callable[[], float] = time.perf_counter) -> None:
        self._now = now
        self._start = now()
        self._point: TracePoint | None = None
        self._words: str | None = None

    def __call__(self, point: TracePoint) -> None:
        """Show a better cost or bound from now on."""
        self._point = point

    def tell(self, words: str) -> None:
        """Show the progress of a choice from now on."""
        self._words = words

    def __rich__(self) -> Text:
        is_choosing = self._words is not None and self._point is None
        doing = "choosing" if is_choosing else "fitting"
        parts = [f"{doing} {self._now() - self._start:5.1f} s"]
        if is_choosing:
            parts.append(str(self._words))
        if self._point is not None:
            gap = relative_gap(self._point.objective, self._point.bound)
            parts.append(f"cost {self._point.objective:.6g}")
            parts.append(f"bound {self._point.bound:.6g}")
            parts.append(f"gap {gap:.1%}")
            share = getattr(self._point, "share", 0.0)
            if share > 0:
                parts.append(f"{share:.0%} of the proof")
        return Text("   ".join([*parts, "(Ctrl-C keeps the best tree so far)"]))


@contextmanager
def progress_line() -> Iterator[ProgressLine]:
    """Show a progress line while the block runs, if stderr is a terminal."""
    console = Console(stderr=True)
    line = ProgressLine()
    if not console.is_terminal:
        yield line
        return

    def one_line() -> Text:
        # A terminal would keep the first of two lines when the second changes.
        text = line.__rich__()
        text.truncate(console.width - 1, overflow="ellipsis")
        return text

    with Live(get_renderable=one_line, console=console, refresh_per_second=8, transient=True):
        yield line
