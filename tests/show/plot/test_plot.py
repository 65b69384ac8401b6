"""What the pictures say: words, regions, and errors for what cannot be drawn."""

import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.figure import Figure
from matplotlib.patches import PathPatch, Rectangle
from matplotlib.path import Path as Outline
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import pictures
from margintree import CARTClassifier, MOCTSVMClassifier, ObliqueTree, Result
from margintree._lib.exceptions import InvalidInputError
from margintree.core.space import Space
from margintree.show.export.named_tree import NamedTree, named
from margintree.show.plot import plot_partition, plot_scores, plot_trace, plot_tree
from margintree.show.plot._plane import Plane, by_influence
from margintree.show.plot._style import class_colours, class_hatch, shortened, text_width
from margintree.show.plot.tree_plot import _Drawing
from strategies import trees

SQUARE = np.array([[0.0, 0.0], [1.0, 1.0], [0.3, 0.6]])


@pytest.fixture
def ax():
    return Figure().add_subplot()


@pytest.fixture(scope="module")
def fitted():
    X, y = pictures.plants()
    return MOCTSVMClassifier(max_iter=1).fit(X, np.array(pictures.CLASSES)[y])


def area(corners):
    x, y = corners.T
    return abs(x @ np.roll(y, -1) - y @ np.roll(x, -1)) / 2


@given(trees(n_features=2), st.integers(0, 9))
def test_the_regions_are_where_the_tree_predicts(tree, seed):
    """The regions of the leaves fill the picture, and every point lies in that of its leaf."""
    plane = Plane.through(named(tree), SQUARE * tree.scaling.span + tree.scaling.minimum, (0, 1))
    leaves = {node: c for node, c in plane.pieces() if node > len(tree.splits) and len(c)}
    assert sum(map(area, leaves.values())) == pytest.approx(area(plane.box), rel=1e-9)
    low, high = plane.box.min(axis=0), plane.box.max(axis=0)
    points = np.random.default_rng(seed).uniform(low, high, size=(20, 2))
    scaled = tree.scaling.apply(points)
    is_clear = ~(np.abs(tree.split_values(scaled)) < 1e-6).any(axis=1)
    for point, leaf in zip(points[is_clear], tree.apply(scaled[is_clear]), strict=True):
        assert Outline(leaves[leaf]).contains_point(point)


@given(trees(n_features=3))
def test_the_plane_holds_other_features_at_their_medians(tree):
    """Its tree predicts what the whole tree predicts for rows with those medians."""
    X = np.random.default_rng(0).uniform(size=(9, 3)) * tree.scaling.span + tree.scaling.minimum
    plane = Plane.through(named(tree), X, (2, 0))
    rows = X.copy()
    rows[:, 1] = np.median(X[:, 1])
    scaled = tree.scaling.apply(rows)
    is_clear = ~(np.abs(tree.split_values(scaled)) < 1e-6).any(axis=1)
    expected = tree.predict(scaled[is_clear])
    assert np.array_equal(plane.tree.predict(rows[is_clear][:, [2, 0]]), expected)


def test_a_partition_says_what_it_shows(ax):
    """Names on the axes, classes and errors in the legend, nothing in the title."""
    names = ["height (cm)", "girth"]
    tree = pictures.small_tree()
    drawn = plot_partition(
        tree, *pictures.plants(), feature_names=names, class_names=pictures.CLASSES, ax=ax
    )
    assert drawn is ax
    assert [ax.get_xlabel(), ax.get_ylabel(), ax.get_title()] == [*names, ""]
    legend = [text.get_text() for text in ax.get_legend().get_texts()]
    assert legend == [*pictures.CLASSES, "predicted wrong"]


def test_fictitious_classes_are_the_sides_of_the_split(ax):
    """Black rows go right, white ones left, and the rows of other nodes are neither."""
    tree, (X, y) = pictures.small_tree(), pictures.plants()
    plot_partition(tree, X, y, node=3, ax=ax)
    assert ax.get_title() == "split at node 3"
    drawn = {group.get_label(): group.get_offsets() for group in ax.collections}
    leaves = tree.apply(tree.scaling.apply(X))
    assert np.array_equal(drawn["goes left"], X[leaves == 6])
    assert np.array_equal(drawn["goes right"], X[leaves == 7])
    assert np.array_equal(drawn["at other nodes"], X[leaves < 6])


@pytest.mark.parametrize(
    ("n_features", "title"),
    [(3, "x2 = 2 (medians)"), (9, "x2 = 2, x3 = 3 and 5 other features, all at their medians")],
)
def test_the_title_says_which_features_are_held(n_features, title, ax):
    """Each by its name while there are few, and their number otherwise."""
    tree = ObliqueTree.stump(np.ones(n_features), -1.0, leaf_classes=[0, 1], n_classes=2)
    X = np.tile(np.arange(n_features, dtype=float), (3, 1))
    plot_partition(tree, X, [0, 1, 1], ax=ax)
    assert ax.get_title() == title


def test_a_long_title_stays_in_the_figure():
    """It gets a second line."""
    names = ["weight of the whole animal", "age at the first visit", "kind of food at home", "sex"]
    tree = ObliqueTree.stump(np.arange(4.0, 0.0, -1.0), -1.0, leaf_classes=[0, 1], n_classes=2)
    ax = Figure(figsize=(3, 3)).subplots()
    plot_partition(tree, np.eye(4), [0, 1, 1, 0], feature_names=names, ax=ax)
    ax.figure.draw_without_rendering()
    title = ax.title.get_window_extent()
    assert title.x0 >= 0
    assert title.x1 <= ax.figure.bbox.width


def test_labels_and_names_come_from_the_classifier(fitted, ax):
    """Text labels are those that the classifier was fitted with."""
    X, y = pictures.plants()
    plot_partition(fitted, X, np.array(pictures.CLASSES)[y], ax=ax)
    legend = [text.get_text() for text in ax.get_legend().get_texts()]
    assert legend[:3] == sorted(pictures.CLASSES)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"features": (0, 0)}, "two different features"),
        ({"features": (0, 2)}, r"in 0\.\.1"),
        ({"features": ("x0", "height")}, "by name from"),
        ({"features": (0,)}, "two different features"),
        ({"node": 2}, r"one of \[1, 3\]; 2 was given"),
        ({"X": np.zeros((36, 3))}, "the 2 features of the tree; it has 3"),
        ({"y": np.full(36, 7)}, r"among \[0, 1, 2\]; \[7\] were given"),
    ],
)
def test_a_partition_that_cannot_be_drawn_says_why(change, message, ax):
    """And nothing is drawn on the axes."""
    X, y = pictures.plants()
    arguments = {"model": pictures.small_tree(), "X": X, "y": y, "ax": ax} | change
    with pytest.raises(InvalidInputError, match=message):
        plot_partition(**arguments)
    assert not ax.has_data()


@pytest.mark.parametrize(
    ("weights", "headline"),
    [([4.0, 0.0], "x0 ≥ 0.25 ?"), ([4.0, 1e-9], "x0 ≥ 0.25 ?"), ([4.0, 0.1], "≥ 1 ?")],
)
def test_a_single_feature_is_named_with_its_threshold(weights, headline):
    """Also beside a feature so weak that it rounds to nothing."""
    tree = ObliqueTree.stump(weights, -1.0, leaf_classes=[0, 1], n_classes=2)
    drawing = _Drawing(named(tree), max_terms=4, has_margins=True)
    assert drawing._headline(drawing.questions[1]) == headline


@settings(max_examples=10)
@given(trees(), st.integers(1, 3))
def test_any_tree_can_be_drawn(tree, max_terms):
    """Idle nodes, splits on no feature and leaves without rows are no obstacle."""
    ax = Figure().add_subplot()
    plot_tree(tree, max_terms=max_terms, ax=ax)
    ax.figure.draw_without_rendering()


@settings(max_examples=25)
@given(
    tree=trees(n_features=3),
    names=st.lists(st.text("ilWM _", min_size=1, max_size=60), min_size=3, max_size=3),
    max_terms=st.integers(1, 4),
    size=st.sampled_from([1.0, 1e-9, 1e9]),
)
def test_every_text_stays_in_its_box(tree, names, max_terms, size):
    """Whatever the names, the numbers and the number of terms; only edges have words outside."""
    tree = replace(
        tree,
        scaling=Space(tree.scaling.minimum, size * tree.scaling.span),
        leaf_mass=1e9 * tree.leaf_mass,
    )
    ax = Figure().add_subplot()
    classes = [f"class {name}" for name in (names * 2)[: tree.n_classes]]
    plot_tree(tree, feature_names=names, class_names=classes, max_terms=max_terms, ax=ax)
    cards = [
        patch for patch in ax.patches if isinstance(patch, Rectangle) and patch.get_lw() == 0.8
    ]
    texts = [patch for patch in ax.get_children() if isinstance(patch, PathPatch)]
    n_outside = 0
    for text in texts:
        low, high = text.get_path().vertices.min(axis=0), text.get_path().vertices.max(axis=0)
        around = [
            card
            for card in cards
            if (card.get_xy() <= (low + high) / 2).all()
            and (
                (low + high) / 2 <= np.add(card.get_xy(), (card.get_width(), card.get_height()))
            ).all()
        ]
        n_outside += not around
        for card in around:
            corner = np.add(card.get_xy(), (card.get_width(), card.get_height()))
            assert (low >= np.subtract(card.get_xy(), 0.05)).all()
            assert (high <= corner + 0.05).all()
    n_splits = sum(patch.get_height() > 3.2 for patch in cards)
    assert n_outside <= tree.n_classes + 2 * n_splits


def test_the_two_most_influential_features_span_the_plane(ax):
    """By their weights over all splits, in the order of the columns; conditions come last."""
    tree = ObliqueTree.stump([0.1, -2.0, 0.5, 3.0], -1.0, leaf_classes=[0, 1], n_classes=2)
    plot_partition(tree, np.random.default_rng(0).normal(size=(5, 4)), [0, 1, 0, 1, 1], ax=ax)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("x1", "x3")
    assert ax.get_title().startswith("x2 = ")
    names = NamedTree(tree, ("a", "b", "c", "d"), ("no", "yes"), conditions=frozenset({3}))
    assert by_influence(names) == [1, 2, 0, 3]


def test_a_plane_needs_two_features(ax):
    """The message names the picture that such a tree has."""
    tree = ObliqueTree.stump([1.0], -1.0, leaf_classes=[0, 1], n_classes=2)
    with pytest.raises(InvalidInputError, match="at least two features; the tree has 1"):
        plot_partition(tree, [[0.0], [2.0]], [0, 1], ax=ax)


def test_methods_without_margins_are_drawn_without(ax):
    """CART pays for no margin, so there are no dashed lines in its picture."""
    X, y = pictures.plants()
    plot_partition(CARTClassifier(max_depth=2).fit(X, y), X, y, ax=ax)
    assert {line.get_linestyle() for line in ax.lines} == {"-"}


def test_a_tree_needs_at_least_one_term(ax):
    """A split without a feature would ask nothing."""
    with pytest.raises(InvalidInputError, match="max_terms must be at least 1; 0 was given"):
        plot_tree(pictures.small_tree(), max_terms=0, ax=ax)


def test_a_tree_gets_a_figure_that_is_large_enough():
    """Without axes a new figure is made; the deeper tree gets the larger one."""
    small, deep = (plot_tree(tree) for tree in (pictures.small_tree(), pictures.deep_tree()))
    assert (deep.figure.get_size_inches() > small.figure.get_size_inches()).all()


def test_a_long_legend_breaks_into_lines():
    """Every entry lies within the width of the drawing, and no two share a place."""
    tree = ObliqueTree.leaf(2, 2, n_classes=12)
    drawing = _Drawing(named(tree, class_names=[f"class {k}" for k in range(12)]), 4, True)
    places = [(x, y) for x, y, _, _ in drawing._legend_items()]
    assert len({*places}) == 12
    assert len({y for _, y in places}) > 1
    assert all(x < drawing.width for x, _ in places)


def test_a_legend_of_many_classes_stands_beside_the_picture(ax):
    """Among the rows it would hide some of them."""
    tree = ObliqueTree.stump([1.0, 1.0], -1.0, leaf_classes=[0, 1], n_classes=9)
    X = np.random.default_rng(0).uniform(size=(9, 2))
    plot_partition(tree, X, np.arange(9), ax=ax)
    ax.figure.draw_without_rendering()
    assert ax.get_legend().get_window_extent().x0 > ax.get_window_extent().x1


def test_names_are_cut_to_their_column():
    """What does not fit ends with an ellipsis, and then it fits."""
    assert shortened("age", 1.0, 50.0) == "age"
    short = shortened("a very long name of a feature", 1.0, 6.0)
    assert short.endswith("…")
    assert text_width(short, 1.0) <= 6.0


@pytest.mark.parametrize("n_classes", [1, 7, 8, 28])
def test_every_class_has_its_own_fill(n_classes):
    """Also when there are more classes than the palette has colours: then by a texture."""
    fills = {(colour, class_hatch(k)) for k, colour in enumerate(class_colours(n_classes))}
    assert len(fills) == n_classes


def test_a_trace_says_how_it_ended(fitted, ax):
    """Cost, bound and gap in the title, and no data outside of what was measured."""
    plot_trace(fitted, ax=ax)
    assert ax.get_title().startswith(f"best cost {fitted.objective_:.4g}, bound")
    cost, bound = ax.lines
    assert cost.get_ydata()[-1] == fitted.objective_
    assert bound.get_ydata()[-1] == fitted.bound_


def test_a_trace_that_closed_says_so(ax):
    """Then there is one number to give."""
    clf = MOCTSVMClassifier(max_depth=1, method="exact").fit([[0.0], [1.0]], [0, 1])
    plot_trace(clf.result_, ax=ax)
    assert ax.get_title() == f"proved optimal at {clf.objective_:.4g}"


def test_a_trace_needs_a_fit(fitted, ax):
    """Neither an unfitted classifier nor a result without a trace can be drawn."""
    with pytest.raises(NotFittedError):
        plot_trace(MOCTSVMClassifier(), ax=ax)
    bare = Result(**vars(fitted.result_) | {"trace": ()})
    with pytest.raises(InvalidInputError, match="at least one point"):
        plot_trace(bare, ax=ax)


def test_a_path_reads_a_grid_search_over_a_pipeline(ax):
    """Names of steps may be left out, and trials without the two parameters do not count."""
    X, y = pictures.plants()
    pipe = make_pipeline(StandardScaler(), MOCTSVMClassifier(max_iter=0))
    prefix = "moctsvmclassifier__"
    grid = [
        {f"{prefix}c1": [0.01, 10.0], f"{prefix}c2": [0.1, 1.0]},
        {f"{prefix}max_depth": [3]},
    ]
    search = GridSearchCV(pipe, grid, cv=2).fit(X, y)
    plot_scores(search, ax=ax)
    scores = search.cv_results_["mean_test_score"][:4].reshape(2, 2).T
    assert np.array_equal(ax.collections[0].get_array(), scores)
    assert [label.get_text() for label in ax.get_xticklabels()] == ["0.01", "10"]
    best = search.cv_results_["params"][int(scores.T.argmax())]
    assert ax.get_title().endswith(f"c1 = {best[prefix + 'c1']:g}, c2 = {best[prefix + 'c2']:g}")


def test_a_path_over_many_values_has_no_numbers_in_its_cells(ax):
    """They would not be legible."""
    tried = [{"c1": a, "c2": b} for a in range(20) for b in range(20)]
    plot_scores({"params": tried, "mean_test_score": np.linspace(0, 1, 400)}, ax=ax)
    assert not ax.texts
    assert ax.get_title() == "best 1.000 at c1 = 19, c2 = 19"


def test_a_path_takes_values_that_are_no_numbers(ax):
    """They come behind the numbers, as they were tried."""
    tried = [{"c1": 1, "max_splits": value} for value in (None, 3, 2)]
    plot_scores({"params": tried, "mean_test_score": [0.3, 0.1, 0.2]}, y="max_splits", ax=ax)
    assert [label.get_text() for label in ax.get_yticklabels()] == ["2", "3", "None"]
    assert ax.collections[0].get_array().ravel().tolist() == [0.2, 0.1, 0.3]


def test_a_path_over_what_was_not_searched_names_what_was(ax):
    """The message lists the parameters."""
    results = {"params": [{"c1": 1, "c3": 2}], "mean_test_score": [0.5]}
    with pytest.raises(InvalidInputError, match=r"\['c1', 'c3'\]; 'c2' was given"):
        plot_scores(results, ax=ax)


@pytest.mark.parametrize("y", ["c1", "c2"])
def test_a_path_needs_two_parameters_that_were_tried_together(y, ax):
    """Neither one twice, nor two of separate grids."""
    results = {"params": [{"c1": 1}, {"c2": 2}], "mean_test_score": [0.5, 0.5]}
    with pytest.raises(InvalidInputError, match="two that were tried together"):
        plot_scores(results, "c1", y, ax=ax)


def test_a_path_without_any_score_is_an_error(ax):
    """All fits failed, and the message says how to find out why."""
    results = {"params": [{"c1": 1, "c2": 2}], "mean_test_score": [np.nan]}
    with pytest.raises(InvalidInputError, match="error_score='raise'"):
        plot_scores(results, ax=ax)


def test_without_matplotlib_the_names_import_and_a_picture_asks_for_it():
    """A user without the extra can use all the rest, and is told what to install."""
    code = """
import sys
class Hidden:
    def find_spec(self, name, *_):
        if name == "matplotlib":
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, Hidden())
from margintree import *
try:
    plot_tree(ObliqueTree.leaf(1, 1, 2))
except ImportError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "pip install 'margintree[plot]'" in done.stdout


def test_a_path_needs_scores():
    """A classifier that tried no parameters has none."""
    clf = MOCTSVMClassifier(max_depth=1).fit([[0.0], [1.0]], ["a", "b"])
    with pytest.raises(InvalidInputError, match="MOCTSVMClassifier has none"):
        plot_scores(clf)
