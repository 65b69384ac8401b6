"""Perspective cones in the model of splits with few features, on SCIP.

    python benchmarks/perspective.py            # budgets of 1 and 2 on five training folds
    python benchmarks/perspective.py --quick    # one fold, 5 s each

The model says ``|w| <= W g`` of a weight w, a bound W that follows from a known tree, and the
binary variable g of its feature. Perspective cones say ``w**2 <= 2 u g`` with the sum of all u of a
split at most the margin term. Both start from the same tree. Seconds are those of the processor,
at most ``--seconds`` for each; the gap is what is left of it then.
"""

import argparse
from dataclasses import replace
from pathlib import Path
from typing import Any

import folds
from about import about
from margintree.core.limits import Limits
from margintree.core.problem import Problem
from margintree.exact.programs.moctsvm import FORMULATION
from margintree.exact.solvers import scip
from margintree.exact.solvers.protocol import Monitor
from margintree.methods import METHODS
from margintree.methods.solve import How, solve

CASES = (("seeds", 1), ("teaching_assistant", 1), ("wine", 1), ("iris", 2), ("thyroid", 2))
"""Data sets and depths."""
BUDGETS = (1, 2)
COSTS = {"c1": 10.0, "c2": 1.0, "c3": 1.0}
CPU_CLOCK = 1


def posed(name: str, depth: int, most: int, folder: Path | None) -> Problem:
    """Return the problem of a training fold with a budget of features."""
    X, y = folds.training_fold(name, folder)
    plain = Problem.from_data(X, y, n_classes=int(y.max()) + 1, depth=depth)
    return METHODS["moctsvm"].pose(plain, max_depth=depth, max_features_per_split=most, **COSTS)


def add_perspective(model: Any, variables: list[Any], program: Any) -> None:
    """Add a perspective cone for every weight of every split."""
    from pyscipopt import quicksum

    delta = variables[int(program.block("delta"))]
    for weights, switches in zip(program.block("w"), program.block("g"), strict=True):
        shares = [model.addVar(lb=0.0) for _ in weights]
        for share, j, g in zip(shares, weights, switches, strict=True):
            w = variables[j]
            model.addCons(w * w <= 2 * share * variables[g])
        model.addCons(quicksum(shares) <= delta)


def run(problem: Problem, seconds: float, with_cones: bool) -> tuple[float, int, float]:
    """Return the processor time of SCIP, its number of nodes, and the gap that is left."""
    method = METHODS["moctsvm"]
    found = solve(method, problem, How(limits=Limits(iterations=200)))
    program = FORMULATION.build(problem, found.objective)
    start = FORMULATION.encode(problem, program, found.tree)
    limits = Limits(seconds=seconds, gap=1e-4)
    case = scip._Run(program, limits, start, Monitor(replace(limits, seconds=1e9).clock()))
    if with_cones:
        add_perspective(case.model, case.variables, program)
    case.model.setParam("timing/clocktype", CPU_CLOCK)
    case.model.setParam("limits/time", seconds)
    case.model.optimize()
    return case.model.getSolvingTime(), case.model.getNTotalNodes(), 100 * case.model.getGap()


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="one fold, 5 s each")
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--data-dir", type=Path, default=folds.DATA)
    given = parser.parse_args()
    print(about())
    kinds = ("model", "cones")
    heads = "".join(f"{kind + ' s':>10}{'nodes':>9}{'gap %':>8}" for kind in kinds)
    print(f"{'fold and budget':24}{heads}")
    for name, depth in CASES[:1] if given.quick else CASES:
        for most in BUDGETS:
            problem = posed(name, depth, most, given.data_dir)
            figures = ""
            for with_cones in (False, True):
                found = run(problem, 5.0 if given.quick else given.seconds, with_cones)
                figures += "{:10.2f}{:9d}{:8.2f}".format(*found)
            print(f"{f'{name} D={depth} B={most}':24}{figures}", flush=True)


if __name__ == "__main__":
    main()
