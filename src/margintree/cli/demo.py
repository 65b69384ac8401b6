"""``margintree demo``."""

from typing import TYPE_CHECKING, Annotated

import typer

from margintree.cli._common import reported
from margintree.cli._options import real, whole

if TYPE_CHECKING:
    from collections.abc import Sequence

    from margintree._lib.arrays import AnyArray

MAX_DEPTH = 2
COSTS = (10.0, 1.0, 1.0)
TRAIN_SHARE = 0.5
"""As for the card in the README. In the mean of other divisions the dense tree is better."""


@reported
def demo(
    data: Annotated[
        str, typer.Option(help="Data set: 'wine', 'iris' or another of 'margintree data list'.")
    ] = "wine",
    features: Annotated[int, whole("Largest number of features in a split.", True)] = 3,
    points: Annotated[int, whole("Largest number of whole points for a feature.", True)] = 10,
    dense: Annotated[
        bool, typer.Option("--dense", help="Use all features and all digits in every split.")
    ] = False,
    exact: Annotated[
        bool, typer.Option("--exact", help="Prove that the dense tree is optimal; means --dense.")
    ] = False,
    time_limit: Annotated[float, real("Limit of the fit, in seconds.", True)] = 60.0,
) -> None:
    """Fit a tree to a small data set, and print it with its accuracy, cost and bound.

    Half of the rows train the tree, and the other half tests it. CART of scikit-learn learns from
    the same rows for comparison, and so does the tree with all features and all digits.

    [bold]Examples[/bold]

    margintree demo

    margintree demo --features 2 --data iris

    margintree demo --dense

    margintree demo --exact
    """
    from sklearn.base import clone
    from sklearn.model_selection import train_test_split

    from margintree.cli._progress import progress_line
    from margintree.cli._view import console, print_outcome, print_tree
    from margintree.data.datasets import load
    from margintree.estimators import MOCTSVMClassifier

    dataset = load(data)
    X, X_test, y, y_test = train_test_split(
        dataset.X, dataset.y, train_size=TRAIN_SHARE, stratify=dataset.y, random_state=0
    )
    method = "exact" if exact else "search"
    whole_tree = MOCTSVMClassifier(MAX_DEPTH, *COSTS, method=method, time_limit=time_limit)
    card = clone(whole_tree).set_params(max_features_per_split=features, points=points)
    shown = whole_tree if dense or exact else card
    fitted = {"MOCTSVM (margintree)": shown}
    if shown is card:
        fitted["  with all features"] = whole_tree
    with progress_line() as progress:
        for tree in fitted.values():
            tree.set_params(verbose=progress).fit(X, y)
    scores = {name: tree.score(X_test, y_test) for name, tree in fitted.items()}
    scores["CART (scikit-learn)"] = _cart_score(X, y, X_test, y_test)
    out = console()
    out.print(f"{data}: {len(X)} training rows, {len(X_test)} test rows\n", style="bold")
    print_tree(out, shown, dataset.feature_names)
    out.print(f"\nAccuracy on the test rows, trees of depth {MAX_DEPTH}", style="bold")
    for name, score in scores.items():
        out.print(f"  {name:22}{score:.1%}")
    out.print("\nCost of the tree on the training rows", style="bold")
    print_outcome(out, shown)
    out.print("\nNext: margintree fit TABLE --target COLUMN -o model.json learns from your table.")
    if shown is card:
        out.print("margintree demo --exact uses all features, and proves the tree optimal.")


def _cart_score(
    X: "AnyArray", y: "Sequence[int]", X_test: "AnyArray", y_test: "Sequence[int]"
) -> float:
    """Return the test accuracy of scikit-learn's tree of the same depth."""
    from sklearn.tree import DecisionTreeClassifier

    cart = DecisionTreeClassifier(max_depth=MAX_DEPTH, random_state=0)
    return float(cart.fit(X, y).score(X_test, y_test))
