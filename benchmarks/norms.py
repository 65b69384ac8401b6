"""The search in each norm against the exact model, and how many weights the splits have.

For every instance and norm: the cost of the tree of the Euclidean search by the judge of this norm,
the cost that the search in this norm finds, the cost that SCIP finds from there within the cap, its
bound, and the weights of the tree of the search that are not 0, as a share of all weights of its
splits. The last lines sum up.

Run ``python benchmarks/norms.py``, with ``--quick`` for four instances and a cap of 5 seconds.
"""

import argparse
import time
from dataclasses import replace

import numpy as np

from about import about
from margintree.core.limits import Limits
from margintree.core.margin import NORMS
from margintree.methods import METHODS
from margintree.methods.solve import How, solve
from margintree.testing.instances import INSTANCES

QUICK = ("wineD=2(10,1,1)", "irisD=2(10,1,1)", "irisD=1(10,1,1)", "breastD=1(1,1,0.1)")
MISSED = 1e-5
"""Share by which a search must cost more than the exact tree to count as a miss."""
ZERO = 1e-6
"""A weight below this share of the largest of its split counts as 0."""


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cap", type=float, default=30.0, help="seconds for each exact solve")
    parser.add_argument("--quick", action="store_true", help="four instances, five seconds")
    given = parser.parse_args()
    cap = 5.0 if given.quick else given.cap
    instances = [one for one in INSTANCES if not given.quick or one.name in QUICK]
    print(about())
    head = ("Euclidean", "search", "exact", "bound", "weights %", "search s")
    print(f"{'instance, norm':34}" + "".join(f"{name:>12}" for name in head))
    missed, proved, losses = 0, 0, []
    shares: dict[str, list[float]] = {norm: [] for norm in NORMS}
    method = METHODS["moctsvm"]
    for instance in instances:
        for norm in NORMS:
            problem = replace(instance.problem(), norm=norm)
            euclidean = method.search(replace(problem, norm="l2"), Limits(iterations=500)).tree
            before = time.process_time()
            found = method.search(problem, Limits())
            seconds = time.process_time() - before
            how = How("exact", "scip", Limits(seconds=cap, iterations=1), starts=(found.tree,))
            exact = solve(method, problem, how)
            weights = np.abs(found.tree.weights[found.tree.splits])
            largest = weights.max(axis=1, keepdims=True, initial=ZERO)
            share = 100 * float((weights > ZERO * largest).mean()) if len(weights) else np.nan
            shares[norm].append(share)
            loss = found.objective / exact.objective - 1
            missed += loss > MISSED
            proved += exact.is_optimal
            losses.append(loss)
            costs = (method.judge(problem, euclidean).total, found.objective, exact.objective)
            numbers = (*costs, exact.bound, share, seconds)
            name = f"{instance.name}, {norm}"
            print(f"{name:34}" + "".join(f"{number:12.3f}" for number in numbers), flush=True)
    print(f"{proved} of {len(losses)} proved; the search missed {missed}, at worst", end=" ")
    print(f"by {100 * max(0.0, *losses):.2f}%")
    for norm, found_shares in shares.items():
        print(f"{norm}: {np.nanmean(found_shares):.1f}% of the weights are not 0")


if __name__ == "__main__":
    main()
