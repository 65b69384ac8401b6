"""Which problems the native proof engine can take."""

from dataclasses import fields

from margintree.core.problem import Problem
from margintree.core.rules import Rules
from margintree.exact.proofs.skeletons import MAX_CLASSES

NATIVE = "native"
"""The name of the native proof engine among the solvers."""
KNOWN_RULES = {"max_splits"}
"""The rules that the engine keeps. A problem with any other rule is refused, so a new rule is
refused until its bounds are proved."""
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
    >>> obstacle(problem.with_rules(min_samples_leaf=0.5))
    'knows no rules beside max_splits; least_mass was given.'
    """
    for what, number, most in (
        ("rows", problem.n_rows, MAX_ROWS),
        ("classes", problem.n_classes, MAX_CLASSES),
        ("levels of splits", problem.depth, MAX_DEPTH),
    ):
        if number > most:
            return f"takes at most {most} {what}; {number} were given."
    unknown = [
        rule.name
        for rule in fields(Rules)
        if rule.name not in KNOWN_RULES and getattr(problem.rules, rule.name) != rule.default
    ]
    if unknown:
        return f"knows no rules beside max_splits; {', '.join(unknown)} was given."
    return ""
