"""Pictures of trees made by hand, which the search has no part in.

Words that matplotlib writes are left out: every version of it sets them a little differently. Those
of the cards are outlines, which all versions draw alike.

``python tests/pictures.py`` draws them anew into the folder ``show/plot/baseline``, and the picture
of the README with them. Look at them before they are committed.
"""

import runpy
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from matplotlib import style
from matplotlib.figure import Figure
from matplotlib.legend import Legend
from matplotlib.text import Text

import synthetic_rows
from margintree import Cost, ObliqueTree, Reason, Result, TracePoint
from margintree.core.space import Space
from margintree.show.plot import plot_partition, plot_scores, plot_trace, plot_tree
from margintree.study import figures
from margintree.study.summary import summarise

ROOT = Path(__file__).parents[1]
BASELINE = ROOT / "tests" / "show" / "plot" / "baseline"
STYLE = {
    "font.family": "DejaVu Sans",  # comes with matplotlib
    "figure.dpi": 60,
    "savefig.dpi": 60,
}
CLASSES = ["dwarf", "middling", "giant"]


def plants(seed=0):
    """Return rows of two features in original units, and class codes, in three clouds."""
    rng = np.random.default_rng(seed)
    middles = np.array([[20.0, 2.0], [60.0, 6.0], [90.0, 2.0]])
    y = np.repeat([0, 1, 2], 12)
    X = middles[y] + rng.normal(scale=[7.0, 0.7], size=(len(y), 2))
    X[0], X[20] = [62.0, 6.5], [22.0, 1.5]  # two rows that any simple tree gets wrong
    return X, y


def small_tree():
    """Return a tree of two splits that fits the clouds: one node of its second level is idle."""
    scaling = Space(np.array([0.0, 0.0]), np.array([100.0, 10.0]))
    weights = [[5.0, 1.0], [0.0, 0.0], [2.0, -5.5]]
    tree = ObliqueTree(
        weights, [-2.2, -1.0, 0.6], [True, False, True], [0, 0, 1, 2], np.zeros((4, 3)), scaling
    )
    X, y = plants()
    mass = np.zeros((4, 3))
    np.add.at(mass, (tree.apply(scaling.apply(X)) - 4, y), 1.0)
    return ObliqueTree(**tree.to_dict() | {"leaf_mass": mass, "scaling": scaling})


def deep_tree():
    """Return a tree of depth 3 over six features whose names are long, with weighted rows."""
    rng = np.random.default_rng(1)
    splits = np.array([True, True, True, True, False, True, True])
    weights = np.round(rng.normal(size=(7, 6)), 1) * splits[:, None]
    intercepts = np.where(splits, np.round(rng.normal(size=7), 1), -1.0)
    mass = np.round(rng.exponential(scale=20, size=(8, 4)), 1)
    mass[5] = 0.0
    scaling = Space(np.arange(6.0), np.array([0.01, 1.0, 10.0, 250.0, 1e4, 3.0]))
    return ObliqueTree(weights, intercepts, splits, np.arange(8) % 4, mass, scaling)


def draw_small_tree(ax):
    plot_tree(small_tree(), feature_names=["height (cm)", "girth"], class_names=CLASSES, ax=ax)


def draw_deep_tree(ax):
    names = ["$ per unit", "b", "a name that is far too long to be drawn", "d_4", "é", "F"]
    plot_tree(deep_tree(), feature_names=names, max_terms=3, ax=ax)


def draw_single_feature(ax):
    stump = ObliqueTree.stump([4.0, 0.0], -1.0, leaf_classes=[0, 1], n_classes=2)
    plot_tree(stump, feature_names=["height (m)", "girth"], ax=ax)


def draw_leaf(ax):
    plot_tree(ObliqueTree.leaf(2, 3, 2, label=1), class_names=["no", "yes"], ax=ax)


def draw_partition(ax):
    names = ["height (cm)", "girth"]
    plot_partition(small_tree(), *plants(), feature_names=names, class_names=CLASSES, ax=ax)


def draw_fictitious_classes(ax):
    plot_partition(small_tree(), *plants(), node=3, ax=ax)


def draw_plane_of_medians(ax):
    X = np.column_stack([np.arange(24.0) % 7, np.arange(24.0) % 5, np.linspace(0, 1, 24)])
    tree = ObliqueTree.stump([1.0, 1.0, -4.0], -3.0, leaf_classes=[0, 1], n_classes=2)
    plot_partition(tree, X, np.arange(24) % 2, features=(1, "x0"), ax=ax)


def draw_trace(ax):
    steps = [(0, 90, 6), (0.1, 20, 6), (0.8, 20, 9), (1.4, 17, 12), (2.0, 17, 15)]
    trace = tuple(TracePoint(*step) for step in steps)
    cost = Cost({"errors": 17.0})
    plot_trace(
        Result(small_tree(), cost, 15.0, Reason.LIMIT, "time", 1e-4, trace, "scip", "9", 2.5), ax=ax
    )


def draw_path(ax):
    tried = [{"c1": a, "c2": b, "c3": c} for a in (1, 10, 100) for b in (0.1, 1) for c in (0, 5)]
    scores = [0.5, 0.4, 0.6, 0.62, 0.7, 0.8, 0.91, 0.9, 0.7, np.nan, np.nan, np.nan]
    plot_scores({"params": tried, "mean_test_score": scores}, ax=ax)


def study():
    """Return the summary of a study that never ran."""
    names = ["balance_scale", "iris", "parkinson", "wine", "zoo"]
    return summarise(synthetic_rows.study(names, repetitions=3))


def draw_study_accuracies(ax):
    figures.plot_accuracies(study(), "grid", ax=ax)


def draw_study_ranks(ax):
    figures.plot_ranks(study(), "nested", ax=ax)


def draw_study_splits(ax):
    figures.plot_splits(study(), "nested", ax=ax)


def draw_study_seconds(ax):
    figures.plot_seconds(study(), "grid", ax=ax)


PICTURES = {
    draw.__name__.removeprefix("draw_"): (draw, size)
    for draw, size in (
        (draw_small_tree, (5, 5)),
        (draw_deep_tree, (16, 9)),
        (draw_single_feature, (4, 3)),
        (draw_leaf, (3, 1.5)),
        (draw_partition, (6, 5)),
        (draw_fictitious_classes, (6, 5)),
        (draw_plane_of_medians, (6, 5)),
        (draw_trace, (6, 4)),
        (draw_path, (6, 4)),
        (draw_study_accuracies, (6, 5)),
        (draw_study_ranks, (6, 3)),
        (draw_study_splits, (6, 4)),
        (draw_study_seconds, (6, 4)),
    )
}


def save(name, folder):
    """Draw a picture into a folder and return its file."""
    draw, size = PICTURES[name]
    path = folder / f"{name}.png"
    with style.context(["default", STYLE]):
        figure = Figure(figsize=size)
        draw(figure.add_axes((0.05, 0.05, 0.9, 0.9)))
        for words in [*figure.findobj(Text), *figure.findobj(Legend)]:
            words.set_visible(False)
        figure.savefig(path, metadata={"Software": None})
    return path


def save_readme_picture():
    """Draw the picture of the README, which an example makes."""
    runpy.run_path(str(ROOT / "examples" / "iris.py"))
    plt.gcf().savefig(ROOT / "docs" / "iris.png", dpi=100)


if __name__ == "__main__":
    for picture in PICTURES:
        save(picture, BASELINE)
    save_readme_picture()
