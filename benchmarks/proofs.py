"""The native proof engine: how much it proves, how fast, and how that grows with the rows.

    python benchmarks/proofs.py folds       # first training folds, depths 1 to 3, four costs
    python benchmarks/proofs.py growth      # rows of iris, wine, balance scale, overlapping clouds
    python benchmarks/proofs.py whole       # iris and wine with all rows
    python benchmarks/proofs.py instances   # the 15 instances of benchmarks/exact.py, beside SCIP
    python benchmarks/proofs.py agreement   # a thousand tiny problems, forty of 15 to 30 rows

The folds are those of ``search_vs_exact.py``; ``docs/benchmarks/exact_alone.jsonl`` tells what SCIP
alone proves there in 120 s at depth 3. "search +%" is by how much the tree of the default search
costs more than the proved optimum. Kernels are compiled off the clock. ``--quick`` takes small sets
or few problems only.
"""

import argparse
import math
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np

import folds
from about import about
from kept import read_rows
from margintree._lib.arrays import FloatArray, IntArray
from margintree.core.limits import Limits
from margintree.core.problem import Costs, Problem
from margintree.core.result import Result, TracePoint
from margintree.data.datasets import load
from margintree.exact.proofs.engine import ROUNDING, Proof, compile_kernels, prove
from margintree.methods import METHODS
from margintree.methods.solve import How, solve
from margintree.testing.instances import INSTANCES, tiny_problem
from margintree.testing.margin_oracles import cheapest_tree
from search_vs_exact import COSTS, QUICK

MOCTSVM = METHODS["moctsvm"]
SCIP_ROWS = Path(__file__).resolve().parents[1] / "docs" / "benchmarks" / "exact_alone.jsonl"
HEADING = (
    f"{'instance':40} {'n x p':>9} {'cost':>12} {'bound':>12} {'gap':>8} {'nodes':>9} {'cpu s':>9}"
)
DEPTHS = (1, 2, 3)
LEVELS = {1: "one level of splits", 2: "two levels", 3: "three levels"}
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


def proved(problem: Problem, seconds: float) -> tuple[Proof, float]:
    """Return a proof and its processor time."""
    before = time.process_time()
    proof = prove(MOCTSVM, problem, Limits(seconds=seconds))
    return proof, time.process_time() - before


def line(name: str, problem: Problem, proof: Proof, cpu: float) -> str:
    """Return a line of a table."""
    shape, result = f"{problem.n_rows} x {problem.n_features}", proof.result
    return (
        f"{name:40} {shape:>9} {result.objective:12.4f} {result.bound:12.4f} {result.gap:8.1e} "
        f"{proof.nodes:9} {cpu:9.4f}"
    )


def run_instances(seconds: float) -> bool:
    """Prove the instances on which exact solving is measured, and compare with SCIP."""
    ratios, holds = [], True
    print(f"{HEADING}  {'SCIP cpu s':>10}  {'ratio':>7}")
    for instance in INSTANCES:
        problem = instance.problem()
        proof, cpu = min((proved(problem, seconds) for _ in range(3)), key=lambda pair: pair[1])
        before = time.process_time()
        other = solve(MOCTSVM, problem, How("exact", "scip", starts=(proof.result.tree,)))
        scip = time.process_time() - before
        ratios.append(scip / cpu)
        print(f"{line(instance.name, problem, proof, cpu)}  {scip:10.2f}  {scip / cpu:7.0f}")
        holds &= proof.result.is_optimal
        holds &= math.isclose(other.objective, proof.result.objective, rel_tol=3e-4)
    mean = math.exp(np.log(ratios).mean())
    print(f"geometric mean of the ratios: {mean:.0f}, least {min(ratios):.1f}")
    return holds


def excess(problem: Problem, proof: Result) -> float:
    """Return by which share the default search costs more than a proved optimum, or NaN."""
    if not proof.is_optimal:
        return math.nan
    found = MOCTSVM.search(problem, Limits(seconds=60)).objective
    return max(0.0, found / proof.objective - 1)


def run_folds(names: tuple[str, ...], folder: Path | None, seconds: float) -> bool:
    """Prove first training folds, and compare the default search with proved optima."""
    scip, counts, misses = read_rows(SCIP_ROWS), Counter[object](), []
    print(f"{HEADING}  {'search +%':>9}  SCIP alone")
    for depth in DEPTHS:
        for name in names:
            for costs in COSTS:
                key = f"{name} {' '.join(f'{cost:g}' for cost in costs)}"
                problem = folds.problem(name, costs, depth, folder)
                proof, cpu = proved(problem, seconds)
                missed = 100 * excess(problem, proof.result)
                other = scip.get(key, {}).get("reason", "") if depth == 3 else ""
                text = line(f"{key} D={depth}", problem, proof, cpu)
                print(f"{text}  {missed:9.3f}  {other or '-'}", flush=True)
                counts[depth] += proof.result.is_optimal
                counts["scip"] += other == "optimal"
                misses += [missed] if proof.result.is_optimal else []
    total = len(names) * len(COSTS)
    for depth in DEPTHS:
        print(f"{LEVELS[depth]}: {counts[depth]} of {total} proved (aim: {BARS[depth]} of 52)")
    print(f"SCIP alone in 120 s at depth 3: {counts['scip']} of {total}")
    mean, most = np.mean(misses), max(misses)
    print(f"the search misses proved optima by {mean:.3f}% on average, at most {most:.1f}%")
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
    """Print how long proofs take as rows are added, until one is open."""
    print(HEADING)
    for depth, costs, name in GROWTH:
        for n in sizes(quick):
            X, y = sampled(name, n, folder)
            n_classes = int(y.max()) + 1
            problem = Problem.from_data(X, y, n_classes=n_classes, depth=depth, costs=Costs(*costs))
            proof, cpu = proved(problem, seconds)
            print(line(f"D={depth} {costs} {name} {n}", problem, proof, cpu), flush=True)
            if not proof.result.is_optimal:
                break
    return True


def run_whole(folder: Path | None, seconds: float) -> bool:
    """Prove iris and wine with all rows."""
    print(HEADING)
    holds = True
    for depth, name in ((2, "iris"), (2, "wine"), (3, "iris"), (3, "wine")):
        found = load(name, folder)
        y = np.unique(found.y, return_inverse=True)[1]
        problem = Problem.from_data(
            found.X, y, n_classes=3, depth=depth, costs=Costs(10.0, 1.0, 1.0)
        )
        proof, cpu = proved(problem, seconds)
        print(line(f"D={depth} {name}, all rows", problem, proof, cpu), flush=True)
        holds &= depth == 3 or (proof.result.is_optimal and proof.result.seconds < 10)
    return holds


def between(seed: int) -> Problem:
    """Return a problem of 15 to 30 rows and three features."""
    rng = np.random.default_rng([27, seed])
    n, K = int(rng.integers(15, 31)), int(rng.integers(2, 4))
    y = rng.integers(0, K, n)
    X = rng.random((K, 3))[y] + rng.normal(0, 0.12, (n, 3))
    costs = Costs(float(rng.choice([1, 10])), float(rng.choice([0.5, 1])), 0.1)
    norm = "plain" if seed % 7 == 0 else "squared"
    return Problem.from_data(X, y, n_classes=K, depth=1 + seed % 2, costs=costs, margin_norm=norm)


def run_agreement(seconds: float, quick: bool) -> bool:
    """Compare with enumeration, and with SCIP and HiGHS."""
    n_tiny, n_between = (50, 4) if quick else (1000, 40)
    worst = over = 0.0
    for seed in range(n_tiny):
        problem = tiny_problem(np.random.default_rng([7, seed]))
        seen: list[TracePoint] = []
        best = cheapest_tree(problem).cost
        proof = prove(MOCTSVM, problem, Limits(gap=1e-6), progress=seen.append)
        worst = max(worst, abs(proof.result.objective - best) / max(best, 1e-9))
        over = max(over, max(point.bound for point in seen) / max(best, 1e-9) - 1)
    print(f"{n_tiny} tiny problems: optima differ from enumeration by at most {worst:.1e} relative")
    print(f"bounds exceed the enumerated optimum by at most {max(over, 0.0):.1e} relative")
    agreed = decided = 0
    for seed in range(n_between):
        native, scip, highs = (
            solve(MOCTSVM, between(seed), How("exact", solver, Limits(seconds=seconds)))
            for solver in ("native", "scip", "highs")
        )
        for other in (scip, highs):
            decided += native.is_optimal and other.is_optimal
            agreed += math.isclose(native.objective, other.objective, rel_tol=2e-4)
    print(f"{n_between} problems of 15 to 30 rows: others prove {decided}, {agreed} of 80 agree")
    return worst < 3e-6 and over < 1e-6 + ROUNDING and agreed >= decided


def main() -> int:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("table", choices=("instances", "folds", "growth", "whole", "agreement"))
    parser.add_argument("--quick", action="store_true", help="small data sets only")
    parser.add_argument("--seconds", type=float, help="for each proof")
    parser.add_argument("--data-dir", type=Path, default=folds.DATA)
    options = parser.parse_args()
    names = QUICK if options.quick else folds.NAMES
    folder, seconds = options.data_dir, options.seconds
    print(about())
    compile_kernels()
    MOCTSVM.get_ready(INSTANCES[0].problem(), Limits())
    holds = {
        "instances": lambda: run_instances(seconds or 60.0),
        "folds": lambda: run_folds(names, folder, seconds or 60.0),
        "growth": lambda: run_growth(folder, seconds or 15.0, options.quick),
        "whole": lambda: run_whole(folder, seconds or 120.0),
        "agreement": lambda: run_agreement(seconds or 20.0, options.quick),
    }[options.table]()
    print("holds" if holds else "DOES NOT HOLD")
    return not holds


if __name__ == "__main__":
    raise SystemExit(main())
