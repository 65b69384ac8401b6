"""Progress messages, as the parameter ``verbose`` asks for them."""

from collections.abc import Callable

from margintree.core.limits import Clock
from margintree.core.result import Progress, TracePoint, relative_gap


def progress_of(verbose: int | Progress) -> Progress | None:
    """Return the callback that ``verbose`` asks for.

    Examples
    --------
    >>> progress_of(0) is None
    True
    >>> progress_of(1)(TracePoint(seconds=1.5, objective=10.0, bound=9.0))
    margintree     1.50 s  cost 10  bound 9  gap 10.00%
    """
    if callable(verbose):
        return verbose
    return _print_point if verbose else None


def _print_point(point: TracePoint) -> None:
    gap = relative_gap(point.objective, point.bound)
    print(
        f"margintree {point.seconds:8.2f} s  cost {point.objective:.6g}  bound {point.bound:.6g}  "
        f"gap {gap:.2%}",
        flush=True,
    )


def teller(verbose: int | Callable[[str], None]) -> Callable[[str], None]:
    """Return the function that reports every path of a choice."""
    clock = Clock()

    def tell(line: str) -> None:
        if verbose:
            print(f"margintree {clock.elapsed():8.2f} s  {line}", flush=True)

    return verbose if callable(verbose) else tell
