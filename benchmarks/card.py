"""The score card of the README on ten divisions of wine, beside the tree with all features.

    python benchmarks/card.py            # ten divisions, of which the README shows the first
    python benchmarks/card.py --quick    # the first division

Costs are 100, 1 and 10. The card has at most two splits of at most three features each, in points
of at most 10. ``digits`` is the card before it is rounded, ``dense`` the tree with all features.
Numbers are accuracies in per cent on the rows that do not train.
"""

import argparse

import numpy as np
from sklearn.model_selection import train_test_split

from about import about
from margintree import MOCTSVMClassifier
from margintree.data.datasets import load

SHORT = {"max_splits": 2, "max_features_per_split": 3}
KINDS: dict[str, dict[str, int]] = {"dense": {}, "digits": SHORT, "card": SHORT | {"points": 10}}
N_DIVISIONS = 10


def accuracies(train_share: float, seed: int) -> list[float]:
    """Return the accuracy of each kind of tree on a division."""
    wine = load("wine")
    X, X_test, y, y_test = train_test_split(
        wine.X, wine.y, train_size=train_share, stratify=wine.y, random_state=seed
    )
    fitted = [MOCTSVMClassifier(2, 100.0, 1.0, 10.0, **own).fit(X, y) for own in KINDS.values()]
    return [100 * clf.score(X_test, y_test) for clf in fitted]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="the first division")
    n_divisions = 1 if parser.parse_args().quick else N_DIVISIONS
    print(about())
    for words, share in (("half", 0.5), ("one fifth", 0.2)):
        print(
            f"{words + ' trains':18}" + "".join(f"{kind:>10}" for kind in KINDS) + "  card - dense"
        )
        rows = []
        for seed in range(n_divisions):
            rows.append(accuracies(share, seed))
            print_row(f"division {seed}", rows[-1])
        print_row("mean", np.mean(rows, axis=0).tolist())


def print_row(name: str, row: list[float]) -> None:
    """Print the accuracies and what the card loses."""
    figures = "".join(f"{accuracy:10.2f}" for accuracy in row)
    print(f"{name:18}{figures}{row[2] - row[0]:+14.2f}", flush=True)


if __name__ == "__main__":
    main()
