"""Seconds to proof of the plain and of the strengthened model, side by side.

Both models of an instance get the same start, the same solver with the same settings, and the same
cap. A run that reaches the cap counts as the cap and is shown with its gap.

Run ``python benchmarks/exact.py``, with ``--quick`` for four instances and a cap of 20 seconds.
"""

import argparse
import math
from dataclasses import dataclass

from about import about
from margintree.core.judges import price_margins
from margintree.core.limits import Limits
from margintree.core.problem import Problem
from margintree.core.result import relative_gap
from margintree.core.tree import ObliqueTree
from margintree.exact.programs import Strengthening, build, decode, encode_tree
from margintree.exact.solvers import get
from margintree.methods import METHODS
from margintree.testing.instances import INSTANCES, Instance

QUICK = ("wineD=2(10,1,1)", "irisD=2(10,1,1)", "irisD=1(10,1,1)", "breastD=1(1,1,0.1)")
BAR = 5.0


@dataclass(frozen=True)
class Run:
    """One solve: seconds, whether the cap was reached, the gap and the judge's cost."""

    seconds: float
    capped: bool
    gap: float
    cost: float

    def __str__(self) -> str:
        if self.capped:
            return f">{self.seconds:7.1f} ({self.gap:5.0%})"
        return f"{self.seconds:8.2f}        "


def starting_tree(problem: Problem, seconds: float = 1.0) -> ObliqueTree:
    """Return the tree that both models start from: the search's, off the clock."""
    return METHODS["moctsvm"].search(problem, Limits(seconds=seconds)).tree


def run(problem: Problem, start: ObliqueTree, strengthening: Strengthening, cap: float) -> Run:
    """Solve one model of the problem; building it counts."""
    program = build(problem, price_margins(problem, start).total, strengthening)
    values = encode_tree(problem, program, start)
    outcome = get("scip").solve(program, Limits(seconds=cap, gap=1e-4), values)
    cost = price_margins(problem, decode(problem, program, outcome.values))
    assert cost.is_allowed
    gap = relative_gap(outcome.objective, outcome.bound)
    capped = outcome.limit == "time"
    return Run(cap if capped else outcome.seconds, capped, gap, cost.total)


def compare(instance: Instance, cap: float) -> float:
    """Print one line of the table and return how much faster the strengthened model is."""
    problem = instance.problem()
    start = starting_tree(problem)
    plain = run(problem, start, Strengthening.none(), cap)
    strong = run(problem, start, Strengthening.default(), cap)
    ratio = plain.seconds / strong.seconds
    shape = f"{problem.n_rows:3d} x {problem.n_features:2d}"
    print(
        f"{instance.name:22s} {shape} {strong.cost:10.4f} {plain} {strong} {ratio:8.1f}", flush=True
    )
    if not (plain.capped or strong.capped):
        assert math.isclose(plain.cost, strong.cost, rel_tol=3e-4)
    return ratio


def main() -> None:
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
    print(f"{'instance':22s} {'n x p':>8s} {'cost':>10s}", end=" ")
    print(f"{'plain s':>16s} {'strong s':>16s} {'ratio':>8s}")
    ratios = [compare(instance, cap) for instance in chosen]
    mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
    print(f"geometric mean of the ratios: {mean:.1f} (the bar is {BAR:.0f})")


if __name__ == "__main__":
    main()
