"""The native proof engine: how much it proves, how fast, and how that grows with the rows.

    python benchmarks/proofs.py folds       # first training folds, depths 1 to 3, four costs
    python benchmarks/proofs.py misses      # proved optima that the default search does not find
    python benchmarks/proofs.py growth      # rows of iris, wine, balance scale, overlapping clouds
    python benchmarks/proofs.py whole       # iris and wine with all rows; a time limit
    python benchmarks/proofs.py certificate # a long proof, checked by the independent program
    python benchmarks/proofs.py agreement   # a thousand tiny problems, forty of 15 to 30 rows

The folds are those of ``search_vs_exact.py``; ``docs/benchmarks/exact_alone.jsonl`` tells what SCIP
alone proves there in 120 s at depth 3. Proofs run on one thread, and ``--seconds`` are seconds of
processor time, so other work on the machine does not count. Kernels are compiled off the clock.
With ``--rows FILE`` folds that the file has as proved, or as open after as long a time, are not
proved again. ``--quick`` takes small sets or few problems only. ``exact.py`` compares with SCIP.
"""

import argparse
import json
import math
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

import folds
from about import about
from kept import read_rows
from margintree._lib.arrays import FloatArray, IntArray
from margintree.core.limits import Limits
from margintree.core.problem import Costs, Problem
from margintree.core.result import TracePoint, relative_gap
from margintree.data.datasets import load
from margintree.exact.proofs.certify import certify
from margintree.exact.proofs.engine import ROUNDING, compile_kernels, prove
from margintree.exact.verify import verify
from margintree.methods import METHODS
from margintree.methods.solve import How, solve
from margintree.testing.instances import INSTANCES, tiny_problem
from margintree.testing.margin_oracles import cheapest_tree
from search_vs_exact import COSTS, QUICK

MOCTSVM = METHODS["moctsvm"]
PRINTED = Path(__file__).resolve().parents[1] / "docs" / "benchmarks"
SCIP_ROWS, FOLD_ROWS = PRINTED / "exact_alone.jsonl", PRINTED / "proofs_folds.jsonl"
HEADING = (
    f"{'instance':40} {'n x p':>9} {'cost':>12} {'bound':>12} {'gap':>8} {'nodes':>9} {'cpu s':>9}"
)
LEAST_EXCESS = 1e-4
"""Share by which a cost may exceed a proved optimum that is known up to the gap."""
MEAN_BAR, WORST_BAR = 0.5, 5.0
"""Percent by which the default search may exceed proved optima on average, and at most."""
TABLES = ("folds", "misses", "growth", "whole", "certificate", "agreement")
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


Row: TypeAlias = dict[str, Any]
"""What is known of an instance: its name and size, cost, bound, nodes and processor time."""


def proved(name: str, problem: Problem, seconds: float) -> Row:
    """Prove a problem within some seconds of processor time."""
    before = time.process_time()

    def watch(_: TracePoint) -> None:
        if time.process_time() - before > seconds:
            raise KeyboardInterrupt

    proof = prove(MOCTSVM, problem, Limits(), progress=watch)
    return {
        "instance": name,
        "shape": f"{problem.n_rows} x {problem.n_features}",
        "objective": proof.result.objective,
        "bound": proof.result.bound,
        "is_optimal": proof.result.is_optimal,
        "nodes": proof.nodes,
        "cpu": time.process_time() - before,
        "seconds": seconds,
    }


def line(row: Row) -> str:
    """Return a line of a table."""
    cost, bound = row["objective"], row["bound"]
    return (
        f"{row['instance']:40} {row['shape']:>9} {cost:12.4f} {bound:12.4f} "
        f"{relative_gap(cost, bound):8.1e} {row['nodes']:9} {row['cpu']:9.4f}"
    )


def fold_names(depths: Sequence[int], names: Sequence[str]) -> Iterator[tuple[str, int, str]]:
    """Yield the instances of the folds: their names, depths and names without the depth."""
    for depth in depths:
        for name in names:
            for costs in COSTS:
                key = f"{name} {' '.join(f'{cost:g}' for cost in costs)}"
                yield f"{key} D={depth}", depth, key


def fold_problem(key: str, depth: int, folder: Path | None) -> Problem:
    """Return the problem of a fold by its name without the depth."""
    name, *costs = key.split(" ")
    errors, violations, splits = map(float, costs)
    return folds.problem(name, (errors, violations, splits), depth, folder)


def fold_rows(
    depths: Sequence[int],
    names: Sequence[str],
    folder: Path | None,
    seconds: float,
    kept: Path | None,
) -> Iterator[tuple[Row, int, str]]:
    """Yield a row of every fold, from the file or proved now, with its depth and its key."""
    known = read_rows(kept) if kept else {}
    for instance, depth, key in fold_names(depths, names):
        row = known.get(instance)
        if row is None or not (row["is_optimal"] or row["seconds"] >= seconds):
            row = proved(instance, fold_problem(key, depth, folder), seconds)
            if kept:
                with kept.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(row) + "\n")
        yield row, depth, key


def run_folds(rows: Iterator[tuple[Row, int, str]], total: int) -> bool:
    """Print the proofs of first training folds, beside what SCIP alone proves at depth 3."""
    scip, counts, spent = read_rows(SCIP_ROWS), Counter[object](), [0.0]
    print(f"{HEADING}  SCIP alone")
    for row, depth, key in rows:
        other = scip.get(key, {}).get("reason", "") if depth == 3 else ""
        print(f"{line(row)}  {other or '-'}", flush=True)
        counts[depth] += row["is_optimal"]
        counts["scip"] += other == "optimal"
        spent += [row["seconds"]] if not row["is_optimal"] else []
    print(f"open rows ended after {min(spent[1:], default=0):.0f} to {max(spent):.0f} s", end=" ")
    print("of processor time on one thread; the aims are for 60 s on two")
    for depth in DEPTHS:
        print(f"{LEVELS[depth]}: {counts[depth]} of {total} proved (aim: {BARS[depth]} of 52)")
    print(f"SCIP alone in 120 s at three levels: {counts['scip']} of {total}")
    return total < 52 or all(counts[depth] >= BARS[depth] for depth in DEPTHS)


def run_misses(names: Sequence[str], folder: Path | None, kept: Path) -> bool:
    """Print by how much the trees of the default search cost more than proved optima."""
    known, excesses = read_rows(kept), []
    print(f"{'instance':40} {'search':>12} {'optimum':>12} {'excess %':>9}")
    for instance, depth, key in fold_names(DEPTHS, names):
        row = known.get(instance)
        if row is None or not row["is_optimal"]:
            continue
        cost = solve(MOCTSVM, fold_problem(key, depth, folder)).objective
        excess = cost / row["objective"] - 1
        excesses.append(100 * max(excess, 0.0))
        if excess > LEAST_EXCESS:
            print(f"{instance:40} {cost:12.4f} {row['objective']:12.4f} {100 * excess:9.3f}")
    missed = sum(excess > 100 * LEAST_EXCESS for excess in excesses)
    mean, most = np.mean(excesses), max(excesses)
    print(f"of {len(excesses)} proved optima the default search misses {missed}")
    print(f"it costs {mean:.3f}% more on average (aim: {MEAN_BAR}), at most {most:.1f}%", end=" ")
    print(f"(aim: {WORST_BAR:g})")
    return mean <= MEAN_BAR and most <= WORST_BAR


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
            row = proved(f"D={depth} {costs} {name} {n}", problem, seconds)
            print(line(row), flush=True)
            if not row["is_optimal"]:
                break
    return True


def whole(name: str, depth: int, folder: Path | None) -> Problem:
    """Return the problem of all rows of a set of three classes, with costs (10, 1, 1)."""
    found = load(name, folder)
    y = np.unique(found.y, return_inverse=True)[1]
    return Problem.from_data(found.X, y, n_classes=3, depth=depth, costs=Costs(10.0, 1.0, 1.0))


def run_whole(folder: Path | None, seconds: float) -> bool:
    """Prove iris and wine with all rows, and stop a proof of 275 rows by a limit on the clock."""
    print(HEADING)
    holds = True
    for depth, name in ((2, "iris"), (2, "wine"), (3, "iris"), (3, "wine")):
        row = proved(f"D={depth} {name}, all rows", whole(name, depth, folder), seconds)
        print(line(row), flush=True)
        holds &= depth == 3 or (row["is_optimal"] and row["cpu"] < 10)
    problem = folds.problem("banknote", (10.0, 1.0, 0.1), 3, folder)
    began = time.monotonic()
    solve(MOCTSVM, problem, How("exact", limits=Limits(seconds=5)))
    took = time.monotonic() - began
    print(
        f"a time limit of 5 s, {problem.n_rows} rows at depth 3: back after {took:.1f} s (aim: 7)"
    )
    return holds and took < 7


def run_certificate(folder: Path | None) -> bool:
    """Prove wine with all rows at depth 2, write the certificate and check it."""
    problem, limits, times = whole("wine", 2, folder), Limits(), [time.process_time()]
    proof = prove(MOCTSVM, problem, limits, has_history=True)
    times.append(time.process_time())
    assert proof.history is not None
    certificate = certify(MOCTSVM.name, problem, limits, proof.history)
    times.append(time.process_time())
    verify(certificate, problem)
    times.append(time.process_time())
    proving, writing, checking = np.diff(times)
    print(f"{proof.nodes} nodes proved in {proving:.2f} s of processor time (aim: 10000 nodes)")
    print(f"certificate written in {writing:.1f} s, checked in {checking:.1f} s", end=", ")
    print(f"{checking / proving:.1f} times as long as the proof (aim: 20)")
    return proof.nodes >= 10_000 and checking <= 20 * proving


def between(seed: int) -> Problem:
    """Return a problem of 15 to 30 rows and three features."""
    rng = np.random.default_rng([27, seed])
    n, K = int(rng.integers(15, 31)), int(rng.integers(2, 4))
    y = rng.integers(0, K, n)
    X = rng.random((K, 3))[y] + rng.normal(0, 0.12, (n, 3))
    costs = Costs(float(rng.choice([1, 10])), float(rng.choice([0.5, 1])), 0.1)
    norm = "plain" if seed % 7 == 0 else "squared"
    return Problem.from_data(X, y, n_classes=K, depth=1 + seed % 2, costs=costs, margin_term=norm)


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
    parser.add_argument("table", choices=TABLES)
    parser.add_argument("--quick", action="store_true", help="small data sets only")
    parser.add_argument("--seconds", type=float, help="of processor time, for each proof")
    parser.add_argument("--depths", type=int, nargs="+", default=DEPTHS, help="of the folds")
    parser.add_argument("--names", nargs="+", default=folds.NAMES, help="of the folds")
    parser.add_argument("--rows", type=Path, help="proofs of folds, kept and taken from there")
    parser.add_argument("--data-dir", type=Path, default=folds.DATA)
    options = parser.parse_args()
    names = QUICK if options.quick else options.names
    folder, seconds = options.data_dir, options.seconds
    print(about())
    compile_kernels()
    MOCTSVM.get_ready(INSTANCES[0].problem(), Limits())
    rows = fold_rows(options.depths, names, folder, seconds or 120.0, options.rows)
    holds = {
        "folds": lambda: run_folds(rows, len(names) * len(COSTS)),
        "misses": lambda: run_misses(names, folder, options.rows or FOLD_ROWS),
        "growth": lambda: run_growth(folder, seconds or 15.0, options.quick),
        "whole": lambda: run_whole(folder, seconds or 120.0),
        "certificate": lambda: run_certificate(folder),
        "agreement": lambda: run_agreement(seconds or 20.0, options.quick),
    }[options.table]()
    print("holds" if holds else "DOES NOT HOLD")
    return not holds


if __name__ == "__main__":
    raise SystemExit(main())
