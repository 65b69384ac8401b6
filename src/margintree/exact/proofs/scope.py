"""Which problems the native proof engine can take."""

from collections.abc import Set
from dataclasses import fields

from margintree.core.problem import Problem
from margintree.exact.proofs.skeletons import MAX_CLASSES

NATIVE = "native"
"""The name of the native proof engine among the solvers."""
KNOWN = {"max_splits", "least_mass", "errors", "violations", "splits"}
"""The rules and costs that the engine keeps. A problem with any other one is refused, so a new one
is refused until its bounds are proved."""
PARAMETERS = {"least_mass": "min_samples_leaf", "features": "c4", "by_feature": "feature_costs"}
"""Parameters whose rule or cost has another name."""
MAX_ROWS = 3_000
"""Every row has an inner product with every other one."""
MAX_DEPTH = 6
"""The ways on of a row grow with the number of leaves."""


def obstacle(problem: Problem) -> str:
    """Return why the native proof engine cannot take a problem, or an empty string.

    Examples
    --------
    >>> problem = Problem.from_data([[0.0], [1.0]], [0, 1], n_classes=2, depth=1)
    >>> obstacle(problem)
    ''
    >>> obstacle(problem.with_rules(separation=0.5))
    'does not know separation, which the problem has.'
    """
    if problem.norm != "l2":
        return f"proves Euclidean margins only; norm={problem.norm!r} was given."
    for what, number, most in (
        ("rows", problem.n_rows, MAX_ROWS),
        ("classes", problem.n_classes, MAX_CLASSES),
        ("levels of splits", problem.depth, MAX_DEPTH),
    ):
        if number > most:
            return f"takes at most {most} {what}; {number} were given."
    unknown = unknown_parameters(problem, KNOWN)
    return f"does not know {unknown}, which the problem has." if unknown else ""


def unknown_parameters(problem: Problem, known: Set[str]) -> str:
    """Return the rules and costs that a problem has and that are not known, with commas."""
    return ", ".join(
        PARAMETERS.get(given.name, given.name)
        for values in (problem.rules, problem.costs)
        for given in fields(values)
        if given.name not in known and getattr(values, given.name) != given.default
    )
