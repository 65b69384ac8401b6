"""The native methods of the rivals against their mixed-integer models.

    python benchmarks/rivals.py             # OCT and OCT-H at depth 3, HiGHS 300 s each
    python benchmarks/rivals.py --only octh # one of them

Takes ``--quick`` for a few small data sets and ten seconds. The instances are first training folds
of the 13 data sets of the study (a fifth of the rows), at least 5% of them in a leaf. The models
start from the tree of CART and write their rows to a file as they finish each, so a run can be
resumed. Seconds are those of the processor, on one thread; a model that is capped counts as if it
had been done then.
"""

import argparse
import json
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import folds
from about import about
from kept import read_rows
from margintree.core.limits import Limits
from margintree.core.problem import Problem
from margintree.core.result import Result
from margintree.estimators import MOCTSVMClassifier, OCTClassifier, OCTHClassifier
from margintree.methods import OCT, OCTH
from margintree.methods.solve import How, solve

DEPTH = 3
ALPHA = 0.01
"""The price of a feature in a split of OCT-H; all errors of a single leaf cost 1."""
MAX_LOST = 1
"""On how many sets the search for OCT-H may be worse than its model."""
QUICK = ("iris", "zoo", "teaching_assistant")
ROWS = Path(__file__).resolve().parent / "results" / "rivals.jsonl"


def timed(fit: Callable[[], Any]) -> tuple[float, Any]:
    """Return the processor's seconds of a call, and what it returned."""
    start = time.process_time()
    found = fit()
    return time.process_time() - start, found


def fitted_oct(name: str, folder: Path | None, **params: Any) -> Result:
    """Return the result of OCT on the first training fold of a set."""
    return OCTClassifier(DEPTH, **params).fit(*folds.training_fold(name, folder)).result_


def compile_kernels(folder: Path | None) -> None:
    """Do once, untimed, what the timed fits do: OCT, the search of OCT-H and its margin starts."""
    data = folds.training_fold("iris", folder)
    OCTClassifier(DEPTH).fit(*data)
    for classifier in (MOCTSVMClassifier, OCTHClassifier):
        classifier(DEPTH, max_iter=2).fit(*data)


class OCTHFromCART(OCTH):
    """OCT-H whose exact solve starts from the tree of CART, as that of OCT does."""

    start = OCT.start


def octh_model_alone(name: str, folder: Path | None, seconds: float) -> Result:
    """Return what HiGHS finds for OCT-H without the native search, from the tree of CART."""
    X, y = folds.training_fold(name, folder)
    method = OCTHFromCART()
    rows = Problem.from_data(X, y, n_classes=int(y.max()) + 1, depth=DEPTH)
    problem = method.pose(rows, max_depth=DEPTH, alpha=ALPHA)
    return solve(method, problem, How("exact", "highs", Limits(seconds=seconds)))


def solve_model(key: str, path: Path, solve: Callable[[], Result]) -> dict[str, Any]:
    """Return the row of a model on HiGHS, from the file if it is there."""
    known = read_rows(path).get(key)
    if known is not None:
        return known
    took, result = timed(solve)
    row = {
        "instance": key,
        "objective": result.objective,
        "bound": result.bound,
        "seconds": took,
        "reason": str(result.reason),
        "solver": f"{result.solver} {result.version}",
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(row) + "\n")
    return row


def run_oct(names: tuple[str, ...], folder: Path | None, path: Path, seconds: float) -> bool:
    """Print the table of OCT, and tell whether the native method proves all and is never worse."""
    lost, unproved, ratios = 0, 0, []
    print(f"OCT at depth {DEPTH}, HiGHS for {seconds:g} s from the tree of CART")
    print(f"{'set':20} {'native':>8} {'proved':>7} {'s':>8} {'model':>8} {'bound':>8} ", end="")
    print(f"{'s':>8} {'ratio':>8}  model")
    for name in names:
        native_seconds, native = timed(lambda name=name: fitted_oct(name, folder))
        exact = {"method": "exact", "solver": "highs", "time_limit": seconds}
        row = solve_model(
            f"oct {name} {seconds:g}", path, partial(fitted_oct, name, folder, **exact)
        )
        ratios.append(row["seconds"] / native_seconds)
        lost += native.objective > row["objective"] * (1 + 1e-9)
        unproved += not native.is_optimal
        print(
            f"{name:20} {native.objective:8.4f} {native.is_optimal!s:>7} {native_seconds:8.3f} "
            f"{row['objective']:8.4f} {row['bound']:8.4f} {row['seconds']:8.2f} {ratios[-1]:8.0f}  "
            f"{row['reason']}",
            flush=True,
        )
    mean = np.exp(np.mean(np.log(ratios)))
    print(
        f"the native method is worse on {lost} and leaves {unproved} of {len(names)} unproved; "
        f"it is {mean:.0f} times faster (geometric mean)"
    )
    return not lost and not unproved


def run_octh(names: tuple[str, ...], folder: Path | None, path: Path, seconds: float) -> bool:
    """Print the table of OCT-H, and tell whether the search is hardly ever worse than its model."""
    lost = 0
    print(f"OCT-H at depth {DEPTH}, alpha {ALPHA:g}, HiGHS for {seconds:g} s from the tree of CART")
    print(f"{'set':20} {'search':>8} {'s':>8} {'model':>8} {'bound':>8} {'s':>8}  model")
    for name in names:
        data = folds.training_fold(name, folder)
        took, search = timed(lambda data=data: OCTHClassifier(DEPTH, ALPHA).fit(*data).result_)
        solve = partial(octh_model_alone, name, folder, seconds)
        row = solve_model(f"octh {name} {ALPHA:g} {seconds:g}", path, solve)
        is_worse = search.objective > row["objective"] + 1e-9
        lost += is_worse
        print(
            f"{name:20} {search.objective:8.4f} {took:8.2f} {row['objective']:8.4f} "
            f"{row['bound']:8.4f} {row['seconds']:8.2f}  {row['reason']}"
            f"{'  search is worse' if is_worse else ''}",
            flush=True,
        )
    print(f"the search is worse on {lost} of {len(names)} (bar {MAX_LOST})")
    return lost <= MAX_LOST


TABLES = {"oct": run_oct, "octh": run_octh}


def main() -> int:
    """Run the tables from the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", choices=TABLES, help="one table instead of all")
    parser.add_argument("--quick", action="store_true", help="a few small data sets, 10 s each")
    parser.add_argument("--seconds", type=float, help="for each model (default 300, quick 10)")
    parser.add_argument("--data-dir", type=Path, default=folds.DATA)
    parser.add_argument("--rows", type=Path, default=ROWS, help="where the model's rows are kept")
    options = parser.parse_args()
    names = QUICK if options.quick else folds.NAMES
    seconds = options.seconds or (10.0 if options.quick else 300.0)
    print(about())
    compile_kernels(options.data_dir)
    tables = [TABLES[options.only]] if options.only else TABLES.values()
    outcomes = [table(names, options.data_dir, options.rows, seconds) for table in tables]
    holds = all(outcomes)
    print("holds" if holds else "DOES NOT HOLD")
    return not holds


if __name__ == "__main__":
    raise SystemExit(main())
