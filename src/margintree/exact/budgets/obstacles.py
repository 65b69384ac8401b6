"""Which problems can be proved by listing the divisions of rows in planes."""

from margintree.core.problem import Problem
from margintree.exact.proofs.scope import unknown_parameters

MOST_FEATURES = 2
"""Features of a split: the divisions by a line are few, those by a plane in space are not."""
MOST_LEVELS = 2
"""Levels of splits: the first one is listed, the ones below it are listed for its sides."""
MOST_POSITIONS = 4_000_000
"""Planes times pairs of rows. They are listed at once: so many take some seconds, with a look at
limits every second or so, and some hundred megabytes."""
LEAST_ROUTING_MARGIN = 1e-6
"""A line that passes between two rows may miss one that lies as good as on it."""
KNOWN = {"max_features_per_split", "errors", "violations", "splits", "features", "by_feature"}
"""The rules and costs that these proofs keep. Any other one is refused."""


def obstacle(problem: Problem) -> str:
    """Return why the divisions in planes do not prove a problem, or an empty string.

    Examples
    --------
    >>> problem = Problem.from_data([[0.0, 1.0, 2.0], [1.0, 0.0, 2.0]], [0, 1], n_classes=2,
    ...                             depth=2)
    >>> obstacle(problem.with_rules(0, None, max_features_per_split=2))
    ''
    >>> obstacle(problem)
    'proves splits on at most 2 features; max_features_per_split is None.'
    """
    if problem.norm != "l2":
        return f"proves Euclidean margins only; norm={problem.norm!r} was given."
    given = problem.rules.max_features_per_split
    if given is None or given > MOST_FEATURES:
        return (
            f"proves splits on at most {MOST_FEATURES} features; max_features_per_split is {given}."
        )
    if problem.depth > MOST_LEVELS:
        return (
            f"takes at most {MOST_LEVELS} levels of splits if features have a budget; "
            f"{problem.depth} were given."
        )
    unknown = unknown_parameters(problem, KNOWN)
    if unknown:
        return f"does not know {unknown} together with a budget of features, which were given."
    if problem.routing_margin < LEAST_ROUTING_MARGIN:
        return (
            f"needs a routing_margin of at least {LEAST_ROUTING_MARGIN:g} if features have a "
            f"budget; {problem.routing_margin!r} was given."
        )
    positions = n_positions(problem)
    if positions > MOST_POSITIONS:
        return (
            f"takes at most {MOST_POSITIONS:,} pairs of rows times pairs of features; "
            f"{positions:,} were given."
        )
    return ""


def n_positions(problem: Problem) -> int:
    """Return the number of planes times that of pairs of rows."""
    p = problem.n_features
    n_planes = p if problem.rules.max_features_per_split == 1 else p * (p + 1) // 2
    return n_planes * problem.n_rows**2
