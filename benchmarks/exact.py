"""Processor time to proof: the literal model, the strengthened model and the native engine.

All three get the same start, the tree of the search, which is off the clock. Both models go to the
same solver with the same settings and the same cap. A run that reaches the cap is shown with its
gap. The native time is the median of five runs. In the last column the engine has no start.

Run ``python benchmarks/exact.py``, with ``--quick`` for four instances and a cap of 20 seconds.
"""

import argparse
import math
import statistics
import time
from collections.abc import Sequence
from dataclasses import dataclass

from about import about
from margintree.core.judges import price_margins
from margintree.core.limits import Limits
from margintree.core.problem import Problem
from margintree.core.result import relative_gap
from margintree.core.tree import ObliqueTree
from margintree.exact.programs import Strengthening, build, decode, encode_tree
from margintree.exact.proofs.engine import compile_kernels, prove
from margintree.exact.solvers import get
from margintree.methods import METHODS
from margintree.testing.instances import INSTANCES, Instance

QUICK = ("wineD=2(10,1,1)", "irisD=2(10,1,1)", "irisD=1(10,1,1)", "breastD=1(1,1,0.1)")
STRENGTHENING_BAR = 5.0
"""How many times faster the strengthened model should be than the literal one."""
NATIVE_BAR = 100.0
"""How many times less processor time the engine should need than the strengthened model."""
REPEATS = 5


@dataclass(frozen=True)
class Run:
    """One solve: processor time, whether the cap was reached, the gap and the judge's cost."""

    seconds: float
    capped: bool
    gap: float
    cost: float

    def __str__(self) -> str:
        if self.capped:
            return f">{self.seconds:7.1f} ({self.gap:5.0%})"
        return f"{self.seconds:8.2f}        "


def starting_tree(problem: Problem, seconds: float = 1.0) -> ObliqueTree:
    """Return the tree that all three start from: the search's, off the clock."""
    return METHODS["moctsvm"].search(problem, Limits(seconds=seconds)).tree


def run(problem: Problem, start: ObliqueTree, strengthening: Strengthening, cap: float) -> Run:
    """Solve one model of the problem; building it counts."""
    before = time.process_time()
    program = build(problem, price_margins(problem, start).total, strengthening)
    values = encode_tree(problem, program, start)
    outcome = get("scip").solve(program, Limits(seconds=cap, gap=1e-4), values)
    seconds = time.process_time() - before
    cost = price_margins(problem, decode(problem, program, outcome.values))
    assert cost.is_allowed
    gap = relative_gap(outcome.objective, outcome.bound)
    return Run(seconds, outcome.limit == "time", gap, cost.total)


def run_native(problem: Problem, starts: Sequence[ObliqueTree]) -> Run:
    """Prove the problem several times with the native engine; return the median of the times."""
    seconds = []
    for _ in range(REPEATS):
        before = time.process_time()
        found = prove(METHODS["moctsvm"], problem, Limits(gap=1e-4), starts).result
        seconds.append(time.process_time() - before)
    assert found.is_optimal
    return Run(statistics.median(seconds), False, found.gap, found.objective)


def compare(instance: Instance, cap: float) -> tuple[float, float]:
    """Print one line of the table and return how much faster strengthening and engine are."""
    problem = instance.problem()
    start = starting_tree(problem)
    plain = run(problem, start, Strengthening.none(), cap)
    strong = run(problem, start, Strengthening.default(), cap)
    native, alone = run_native(problem, [start]), run_native(problem, [])
    ratios = plain.seconds / strong.seconds, strong.seconds / native.seconds
    shape = f"{problem.n_rows:3d} x {problem.n_features:2d}"
    print(
        f"{instance.name:22s} {shape} {native.cost:10.4f} {plain} {strong} {ratios[0]:8.1f} "
        f"{native.seconds:9.4f} {ratios[1]:8.0f} {alone.seconds:9.4f}",
        flush=True,
    )
    for other in (strong, plain, alone):
        assert other.capped or math.isclose(native.cost, other.cost, rel_tol=3e-4)
    return ratios


def mean(ratios: Sequence[float]) -> float:
    """Return the geometric mean."""
    return math.exp(statistics.fmean(map(math.log, ratios)))


def main() -> int:
    """Run the table from the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="four instances, cap of 20 seconds")
    parser.add_argument("--cap", type=float, help="seconds per solve (default 120, quick 20)")
    options = parser.parse_args()
    cap = options.cap or (20.0 if options.quick else 120.0)
    chosen = [i for i in INSTANCES if not options.quick or i.name in QUICK]
    print(about())
    compile_kernels()
    print(
        f"{'instance':22s} {'n x p':>8s} {'cost':>10s} {'plain s':>16s} {'strong s':>16s}", end=" "
    )
    print(f"{'ratio':>8s} {'native s':>9s} {'ratio':>8s} {'alone s':>9s}")
    strengthening, native = zip(*(compare(instance, cap) for instance in chosen), strict=True)
    print(f"literal to strengthened: geometric mean {mean(strengthening):.1f}", end=" ")
    print(f"(the bar is {STRENGTHENING_BAR:.0f})")
    print(f"strengthened to native: geometric mean {mean(native):.0f}", end=" ")
    print(f"(the bar is {NATIVE_BAR:.0f}), least {min(native):.1f} (the bar is 1)")
    bars_hold = mean(native) >= NATIVE_BAR and min(native) >= 1
    return 0 if bars_hold and mean(strengthening) >= STRENGTHENING_BAR else 1


if __name__ == "__main__":
    raise SystemExit(main())
