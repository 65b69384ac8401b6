"""The search with a budget beside the enumeration of all sets of features, at depth 1.

    python benchmarks/supports.py            # two training folds of ten data sets
    python benchmarks/supports.py --quick    # two data sets

For every set of 1, 2 or 3 features the search runs on these features alone, without a budget. The
cheapest of these trees is compared with that of one search with the budget. Costs are 10, 1 and 1.
"""

import argparse
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import numpy as np

import folds
from about import about
from margintree.core.limits import Limits
from margintree.core.problem import Problem
from margintree.core.space import Space
from margintree.methods import METHODS
from margintree.methods.choose import divide
from margintree.methods.solve import How, solve

NAMES = (
    "balance_scale",
    "banknote",
    "breast_cancer",
    "heart",
    "iris",
    "seeds",
    "teaching_assistant",
    "thyroid",
    "wine",
    "zoo",
)
QUICK = ("iris", "thyroid")
N_FOLDS, BUDGETS = 2, (1, 2, 3)
COSTS = {"c1": 10.0, "c2": 1.0, "c3": 1.0}
ITERATIONS = 60
"""Local searches on every set of features."""
CLOSE = 1e-3
"""Relative difference at which two costs count as equal."""


def cheapest(problem: Problem, most: int) -> float:
    """Return the least cost over all sets of features of this size."""
    method, costs = METHODS["moctsvm"], []
    for features in map(list, combinations(range(problem.n_features), most)):
        scaling = Space(problem.scaling.minimum[features], problem.scaling.span[features])
        X = np.ascontiguousarray(problem.X[:, features])
        part = replace(problem, X=X, scaling=scaling)
        found = solve(method, part, How(limits=Limits(iterations=ITERATIONS)))
        costs.append(found.objective)
    return min(costs)


def main() -> int:
    """Print the table, and tell whether the search with the budget is never worse."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="two small data sets")
    parser.add_argument("--data-dir", type=Path, default=folds.DATA)
    options = parser.parse_args()
    print(about())
    print(f"{'fold and budget':30}  all sets  search")
    worse = total = 0
    for name in QUICK if options.quick else NAMES:
        X, y = folds.read(name, options.data_dir)
        X = np.where(np.isnan(X), np.nanmean(X, axis=0), X)
        for fold, (rows, _) in enumerate(list(divide(y, 5, seed=0))[:N_FOLDS]):
            plain = Problem.from_data(X[rows], y[rows], n_classes=int(y.max()) + 1, depth=1)
            for most in BUDGETS:
                problem = METHODS["moctsvm"].pose(plain, max_depth=1, **COSTS)
                best = cheapest(problem, most)
                few = problem.with_rules(max_features_per_split=most)
                found = solve(METHODS["moctsvm"], few, How()).objective
                is_worse = found > best * (1 + CLOSE)
                worse, total = worse + is_worse, total + 1
                print(
                    f"{f'{name} {fold} B={most}':30}  {best:8.3f}  {found:8.3f}"
                    f"{'  worse' if is_worse else ''}",
                    flush=True,
                )
    print(f"the search with the budget is worse on {worse} of {total}")
    return int(worse > 0)


if __name__ == "__main__":
    raise SystemExit(main())
