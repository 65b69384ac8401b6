"""Proofs of our own: how many problems are proved, how fast, and how it grows with the rows.

    python benchmarks/proofs.py instances   # the 15 instances of benchmarks/exact.py
    python benchmarks/proofs.py folds       # first training folds, depths 1 to 3, four costs
    python benchmarks/proofs.py growth      # rows of iris, wine, balance scale, overlapping clouds
    python benchmarks/proofs.py whole       # iris and wine with all rows

``instances --scip`` also solves each with SCIP, from the same start. The folds are those of
``search_vs_exact.py``, whose file of rows tells what SCIP alone proves in 120 s. Every proof starts
from the tree of a short search, which is off the clock. ``--quick`` takes small sets only.
"""

import argparse
import json
import math
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from margintree.methods.fit import fit_tree

import folds
from about import about
from kept import read_rows
from margintree._lib.arrays import FloatArray, IntArray
from margintree.core.limits import Limits
from margintree.core.problem import Costs, Problem
from margintree.core.result import Reason
from margintree.core.tree import ObliqueTree
from margintree.data.datasets import load
from margintree.exact.proofs.engine import Proof, compile_kernels, prove
from margintree.search.margin import search
from margintree.search.margin.compilation import compile_kernels as compile_search
from margintree.testing.instances import INSTANCES
from search_vs_exact import COSTS, QUICK, ROWS

DEPTHS = (1, 2, 3)
BARS = {1: 50, 2: 45, 3: 28}
"""How many of the 52 folds should be proved at each depth."""
SIZES = (20, 30, 40, 60, 80, 100, 150)
GROWTH = (
    (1, (1.0, 1.0, 0.1), "balance_scale"),
    (1, (1.0, 1.0, 0.1), "overlapping"),
    (2, (1.0, 1.0, 0.1), "iris"),
    (2, (1.0, 1.0, 0.1), "wine"),
    (2, (1.0, 1.0, 0.1), "balance_scale"),
    (2, (10.0, 1.0, 1.0), "balance_scale"),
    (2, (10.0, 1.0, 1.0), "overlapping"),
)
"""Depth, costs and data of the rows of the table of growth."""


def started(problem: Problem, seconds: float) -> ObliqueTree:
    """Return the tree that a proof starts from."""
    return search(problem, Limits(seconds=seconds)).tree


def proved(problem: Problem, seconds: float, searched: float = 1.0) -> tuple[Proof, float]:
    """Return a proof and its processor time."""
    start = started(problem, searched)
    before = time.process_time()
    proof = prove(problem, start, Limits(seconds=seconds))
    return proof, time.process_time() - before


def line(name: str, problem: Problem, proof: Proof, cpu: float) -> str:
    """Return a line of a table."""
    shape = f"{problem.n_rows:4} x {problem.n_features:2}"
    return (
        f"{name:36} {shape} {proof.objective:12.4f} {proof.bound:12.4f} {proof.gap:8.1e} "
        f"{proof.nodes:9} {cpu:9.4f}  {proof.reason}"
    )


def run_instances(seconds: float, with_scip: bool) -> bool:
    """Prove the instances on which exact solving is measured."""
    ratios, holds = [], True
    for instance in INSTANCES:
        problem = instance.problem()
        proof, cpu = min((proved(problem, seconds) for _ in range(3)), key=lambda pair: pair[1])
        text = line(instance.name, problem, proof, cpu)
        holds &= proof.reason is Reason.OPTIMAL
        if with_scip:
            before = time.process_time()
            other = fit_tree(problem, method="exact", solver="scip", starts=[proof.tree])
            scip = time.process_time() - before
            ratios.append(scip / cpu)
            text += f"  SCIP {scip:8.2f}, {ratios[-1]:7.0f} times"
            holds &= math.isclose(other.objective, proof.objective, rel_tol=3e-4)
        print(text, flush=True)
    if ratios:
        mean = math.exp(np.log(ratios).mean())
        print(f"geometric mean {mean:.0f} (bar 100), least {min(ratios):.1f} (bar 1)")
        holds &= mean >= 100 and min(ratios) >= 1
    return holds


def run_folds(names: tuple[str, ...], folder: Path | None, seconds: float, out: Path) -> bool:
    """Prove first training folds, one row of a file each; what is in the file is not repeated."""
    done, scip, counts = read_rows(out), read_rows(ROWS), Counter[int]()
    for depth in DEPTHS:
        for name in names:
            for costs in COSTS:
                key = f"{name} {' '.join(f'{cost:g}' for cost in costs)}"
                row = f"{key} D={depth}"
                if row not in done:
                    problem = folds.problem(name, costs, depth, folder)
                    proof, cpu = proved(problem, seconds)
                    other = scip.get(key, {}).get("reason", "") if depth == 3 else ""
                    print(line(row, problem, proof, cpu), f" SCIP alone: {other}", flush=True)
                    done[row] = {"instance": row, "reason": str(proof.reason), "gap": proof.gap}
                    out.parent.mkdir(parents=True, exist_ok=True)
                    with out.open("a") as file:
                        file.write(json.dumps(done[row]) + "\n")
                counts[depth] += done[row]["reason"] == "optimal"
    total = len(names) * len(COSTS)
    for depth in DEPTHS:
        print(f"depth {depth}: {counts[depth]} of {total} proved (bar {BARS[depth]} of 52)")
    return total < 52 or all(counts[depth] >= BARS[depth] for depth in DEPTHS)


def overlapping(n: int) -> tuple[FloatArray, IntArray]:
    """Return rows of two classes, normal in four features and 0.8 apart in two of them."""
    rng = np.random.default_rng(0)
    y = np.arange(n) % 2
    return rng.normal(size=(n, 4)) + 0.8 * y[:, None] * np.array([1, 1, 0, 0]), y


def sampled(name: str, n: int, folder: Path | None) -> tuple[FloatArray, IntArray]:
    """Return n rows of a data set, the same share of every class, always the same ones."""
    if name == "overlapping":
        return overlapping(n)
    found = load(name, folder)
    y = np.unique(found.y, return_inverse=True)[1]
    order = np.random.default_rng(0).permutation(len(y))
    rank = np.zeros(len(y))
    for k in range(y.max() + 1):
        rows = order[y[order] == k]
        rank[rows] = (np.arange(len(rows)) + 0.5) / len(rows)
    rows = np.argsort(rank, kind="stable")[:n]
    return found.X[rows], y[rows]


def sizes(quick: bool) -> Iterator[int]:
    """Yield the numbers of rows of the table of growth."""
    yield from SIZES[:3] if quick else SIZES


def run_growth(folder: Path | None, seconds: float, quick: bool) -> bool:
    """Print how long proofs take as rows are added; a row ends where one is open."""
    for depth, costs, name in GROWTH:
        for n in sizes(quick):
            X, y = sampled(name, n, folder)
            n_classes = int(y.max()) + 1
            problem = Problem.from_data(X, y, n_classes=n_classes, depth=depth, costs=Costs(*costs))
            proof, cpu = proved(problem, seconds)
            print(line(f"D={depth} {costs} {name}", problem, proof, cpu), flush=True)
            if proof.reason is not Reason.OPTIMAL:
                break
    return True


def run_whole(folder: Path | None, seconds: float) -> bool:
    """Prove iris and wine with all rows."""
    holds = True
    for depth, name in ((2, "iris"), (2, "wine"), (3, "iris"), (3, "wine")):
        found = load(name, folder)
        y = np.unique(found.y, return_inverse=True)[1]
        problem = Problem.from_data(
            found.X, y, n_classes=3, depth=depth, costs=Costs(10.0, 1.0, 1.0)
        )
        proof, cpu = proved(problem, seconds, searched=5.0)
        print(line(f"D={depth} {name}, all rows", problem, proof, cpu), flush=True)
        holds &= depth == 3 or (proof.reason is Reason.OPTIMAL and proof.seconds < 10)
    return holds


def main() -> int:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("table", choices=("instances", "folds", "growth", "whole"))
    parser.add_argument("--quick", action="store_true", help="small data sets only")
    parser.add_argument("--scip", action="store_true", help="solve the instances with SCIP too")
    parser.add_argument("--seconds", type=float, help="for each proof")
    parser.add_argument("--data-dir", type=Path, default=folds.DATA)
    parser.add_argument("--rows", type=Path, default=ROWS.with_name("proofs.jsonl"))
    options = parser.parse_args()
    names = QUICK if options.quick else folds.NAMES
    folder, seconds = options.data_dir, options.seconds
    print(about())
    compile_search(many_rows=False, leaf_groups=True)
    compile_kernels()
    holds = {
        "instances": lambda: run_instances(seconds or 60.0, options.scip),
        "folds": lambda: run_folds(names, folder, seconds or 60.0, options.rows),
        "growth": lambda: run_growth(folder, seconds or 15.0, options.quick),
        "whole": lambda: run_whole(folder, seconds or 120.0),
    }[options.table]()
    print("holds" if holds else "DOES NOT HOLD")
    return not holds


if __name__ == "__main__":
    raise SystemExit(main())
