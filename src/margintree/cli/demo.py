"""``margintree demo``."""

from typing import TYPE_CHECKING, Annotated

import typer

from margintree.cli._common import reported
from margintree.cli._options import real, whole

if TYPE_CHECKING:
    from margintree._lib.arrays import IntArray
    from margintree.data.datasets import Dataset

MAX_DEPTH = 2
COSTS = (10.0, 1.0, 1.0)


@reported
def demo(
    data: Annotated[
        str, typer.Option(help="Data set: 'wine', 'iris' or another of 'margintree data list'.")
    ] = "wine",
    exact: Annotated[
        bool, typer.Option("--exact", help="Continue until the tree is proved optimal.")
    ] = False,
    features: Annotated[int | None, whole("Largest number of features in a split.", "all")] = None,
    points: Annotated[int | None, whole("Largest number of whole points.", "not rounded")] = None,
    time_limit: Annotated[float, real("Limit of the fit, in seconds.", True)] = 60.0,
) -> None:
    """Fit a tree to a small data set, and print it with its accuracy, cost and bound.

    One fifth of the rows trains the tree and four fifths test it, as in the paper's experiments.
    CART of scikit-learn learns from the same rows for comparison. With --features or --points, the
    tree with all features and all digits does, too.

    [bold]Examples[/bold]

    margintree demo

    margintree demo --exact

    margintree demo --features 3 --points 10

    margintree demo --data iris
    """
    from sklearn.base import clone

    from margintree.cli._progress import progress_line
    from margintree.cli._view import console, print_outcome, print_tree
    from margintree.data.datasets import load
    from margintree.estimators import MOCTSVMClassifier
    from margintree.methods.choose import divide

    dataset = load(data)
    train, test = next(divide(dataset.y, 5, seed=0))
    method = "exact" if exact else "search"
    dense = MOCTSVMClassifier(MAX_DEPTH, *COSTS, method=method, time_limit=time_limit)
    estimator = clone(dense).set_params(max_features_per_split=features, points=points)
    fitted = {"MOCTSVM (margintree)": estimator}
    if features is not None or points is not None:
        fitted["  with all features"] = dense
    with progress_line() as progress:
        for tree in fitted.values():
            tree.set_params(verbose=progress).fit(dataset.X[train], dataset.y[train])
    scores = {name: tree.score(dataset.X[test], dataset.y[test]) for name, tree in fitted.items()}
    scores["CART (scikit-learn)"] = _cart_score(dataset, train, test)
    out = console()
    out.print(f"{data}: {len(train)} training rows, {len(test)} test rows\n", style="bold")
    print_tree(out, estimator, dataset.feature_names)
    out.print(f"\nAccuracy on the test rows, trees of depth {MAX_DEPTH}", style="bold")
    for name, score in scores.items():
        out.print(f"  {name:22}{score:.1%}")
    out.print("\nCost of the tree on the training rows", style="bold")
    print_outcome(out, estimator)
    if not exact:
        out.print("\nNext: margintree demo --exact proves which tree is optimal.")
    if features is None:
        out.print("Short to read: margintree demo --features 3 --points 10")


def _cart_score(dataset: "Dataset", train: "IntArray", test: "IntArray") -> float:
    """Return the test accuracy of scikit-learn's tree of the same depth."""
    from sklearn.tree import DecisionTreeClassifier

    cart = DecisionTreeClassifier(max_depth=MAX_DEPTH, random_state=0)
    cart.fit(dataset.X[train], dataset.y[train])
    return float(cart.score(dataset.X[test], dataset.y[test]))
