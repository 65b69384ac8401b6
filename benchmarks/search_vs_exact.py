"""Search for five seconds against SCIP alone for two minutes, on 52 training folds.

    python benchmarks/search_vs_exact.py exact       # the long side; resumes where it was stopped
    python benchmarks/search_vs_exact.py search      # the short side, and the table
    python benchmarks/search_vs_exact.py search --quick

The 52 instances are the first training fold of the 13 data sets of the study (a fifth of the rows),
depth 3, with four settings of the costs. SCIP starts from the tree without splits, as one does
without a search, and writes its rows to a file as it finishes each.
"""

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import folds
from margintree.formulation import build, decode, encode_tree
from margintree.limits import Limits
from margintree.objective import objective
from margintree.problem import Problem
from margintree.solvers import get
from margintree.tidy import tidy
from margintree.tree import ObliqueTree

COSTS = ((1.0, 0.1, 0.1), (10.0, 1.0, 0.1), (100.0, 10.0, 0.1), (10.0, 1.0, 1.0))
DEPTH = 3
QUICK = ("iris", "wine", "zoo")
ROWS = Path(__file__).resolve().parent / "results" / "exact_alone.jsonl"


def instances(names: tuple[str, ...], folder: Path) -> Iterator[tuple[str, Problem]]:
    """Yield the instances by name."""
    for name in names:
        for costs in COSTS:
            key = f"{name} {' '.join(f'{cost:g}' for cost in costs)}"
            yield key, folds.problem(name, costs, DEPTH, folder)


def read_rows(path: Path) -> dict[str, dict[str, Any]]:
    """Return the rows of SCIP that are already there, by instance."""
    if not path.exists():
        return {}
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    return {row["instance"]: row for row in rows}


def solve_alone(problem: Problem, seconds: float) -> dict[str, Any]:
    """Return what SCIP finds without a search."""
    leaf = tidy(problem, ObliqueTree.leaf(problem.depth, problem.n_features, problem.n_classes))
    program = build(problem, upper_bound=objective(problem, leaf).total)
    start = encode_tree(problem, program, leaf)
    outcome = get("scip").solve(program, Limits(seconds=seconds), start)
    values = start if outcome.values is None else outcome.values
    tree = tidy(problem, decode(problem, program, values))
    cost = min(objective(problem, tree).total, objective(problem, leaf).total)
    return {
        "objective": cost,
        "bound": outcome.bound,
        "seconds": outcome.seconds,
        "reason": str(outcome.reason),
        "solver": f"{outcome.solver} {outcome.version}",
    }


def run_exact(names: tuple[str, ...], folder: Path, path: Path, seconds: float) -> None:
    """Solve what has not been solved yet, one row of the file each."""
    path.parent.mkdir(parents=True, exist_ok=True)
    done = read_rows(path)
    for key, problem in instances(names, folder):
        if key in done:
            continue
        row = {"instance": key, "n": problem.n_rows, **solve_alone(problem, seconds)}
        with path.open("a") as file:
            file.write(json.dumps(row) + "\n")
        print(f"{key:34} {row['objective']:12.4f} {row['bound']:12.4f} {row['reason']}", flush=True)


def run_search(names: tuple[str, ...], folder: Path, path: Path, seconds: float) -> bool:
    """Search every instance, print the table, and tell whether the search is never beaten."""
    from margintree.search import search

    done = read_rows(path)
    lost = 0
    print(f"{'instance':34} {'n':>4} {'search':>12} {'SCIP alone':>12} {'ratio':>8}  SCIP")
    for key, problem in instances(names, folder):
        result = search(problem, Limits(seconds=seconds, iterations=sys.maxsize, threads=2))
        row = done.get(key)
        other = row["objective"] if row else np.nan
        lost += result.objective > other * (1 + 1e-6)
        print(
            f"{key:34} {problem.n_rows:4} {result.objective:12.4f} {other:12.4f} "
            f"{result.objective / other:8.4f}  {row['reason'] if row else 'not run'}",
            flush=True,
        )
    print(f"search costs more on {lost} of {len(names) * len(COSTS)} instances")
    return not lost


def main() -> int:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("side", choices=("exact", "search"))
    parser.add_argument("--quick", action="store_true", help="three small data sets only")
    parser.add_argument("--seconds", type=float, help="per instance; 120 for SCIP, 5 for search")
    parser.add_argument("--data-dir", type=Path, default=folds.DATA)
    parser.add_argument("--rows", type=Path, default=ROWS, help="where SCIP's rows are kept")
    options = parser.parse_args()
    names = QUICK if options.quick else folds.NAMES
    if options.side == "exact":
        run_exact(names, options.data_dir, options.rows, options.seconds or 120.0)
        return 0
    return not run_search(names, options.data_dir, options.rows, options.seconds or 5.0)


if __name__ == "__main__":
    raise SystemExit(main())
