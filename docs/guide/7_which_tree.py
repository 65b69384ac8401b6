"""
Which tree for which table
==========================

Two kinds of trees in margintree have wide margins. A MOCTSVM divides rows without looking at their
labels, and may give a class several leaves. A class tree knows the labels and gives each class one
leaf. This page shows what each of them is good at, and how to choose.
"""

# %%
# A class in one piece
# --------------------
#
# The rows below form five clouds, one for each class. Every class is in one piece, and straight
# lines separate the groups of classes. `ClassTreeClassifier` finds the best hierarchy of the
# classes and proves it.

import matplotlib.pyplot as plt
import numpy as np

from margintree import ClassTreeClassifier, MOCTSVMClassifier, plot_partition

rng = np.random.default_rng(1)
middles = np.array([[0.2, 0.2], [0.8, 0.25], [0.5, 0.5], [0.2, 0.8], [0.8, 0.8]])
y = np.arange(100) % 5
X = middles[y] + rng.normal(scale=0.08, size=(100, 2))

tree = ClassTreeClassifier(C=100.0).fit(X, y)
print(f"cost {tree.objective_:.1f}, {tree.result_.ended}, {tree.tree_.n_splits} splits")
plot_partition(tree, X, y)

# %%
# The cost is that of a support vector machine at every split: half the squared norm of its weights,
# plus ``C`` for every unit that a row lacks on the way to the leaf of its class. With two classes
# there is one split, and it is the linear support vector machine.
#
# A class in several pieces
# -------------------------
#
# On a chequerboard of four fields each class has two pieces. No class tree with straight splits can
# follow it, because each class has one leaf. A MOCTSVM can: its splits look for wide gaps between
# rows, and a class may have as many leaves as it needs.

X = rng.random((120, 2))
X = X[np.abs(X - 0.5).min(axis=1) > 0.05]
y = ((X[:, 0] > 0.5) ^ (X[:, 1] > 0.5)).astype(int)

figure, axes = plt.subplots(1, 2, figsize=(10, 4.2), layout="constrained")
free = MOCTSVMClassifier(max_depth=2, c1=10.0, max_iter=20)
for ax, clf in zip(axes, (ClassTreeClassifier(C=100.0), free), strict=True):
    clf.fit(X, y)
    plot_partition(clf, X, y, ax=ax)
    ax.set_title(f"{type(clf).__name__}: {clf.score(X, y):.0%} right")

# %%
# Curved splits
# -------------
#
# ``space=`` says what splits see. With "quadratic" they see the products of all pairs of features
# and their squares, too. One curved split is enough for the chequerboard. It is still a weighted
# sum, and the text names its terms.

from margintree import export_text

curved = ClassTreeClassifier(C=100.0, space="quadratic").fit(X, y)
print(f"{curved.score(X, y):.0%} right")
plot_partition(curved, X, y, feature_names=["width", "height"])
print(export_text(curved, feature_names=["width", "height"]))

# %%
# A split of p features has p (p + 3) / 2 coefficients, so curved splits are easy to read for a few
# features only. A budget keeps them short: a product counts as one feature, and the MOCTSVM below
# may use a single one in its only split. It finds the product. Products are measured from the
# middle of the columns, so in original units the two columns come along with it.

short = MOCTSVMClassifier(max_depth=1, c1=10.0, space="quadratic", max_features_per_split=1)
print(export_text(short.fit(X, y), feature_names=["width", "height"]))
print(f"{short.score(X, y):.0%} right")

# %%
# "whitened" is for columns that vary together. It measures margins in mixed columns, but its splits
# are straight and are written over the columns as they are. Kernels, "rbf" and "polynomial", follow
# any border; then a split compares a row with training rows, and there are no rules to read.

axes = plt.subplots(1, 3, figsize=(13, 3.8), layout="constrained")[1]
spiral = rng.random((150, 2)) * 2 - 1
turn = np.arctan2(spiral[:, 1], spiral[:, 0]) / np.pi + 2 * np.hypot(*spiral.T)
arm = np.floor(turn % 2).astype(int)
for ax, space in zip(axes, ("whitened", "quadratic", "rbf"), strict=True):
    found = ClassTreeClassifier(C=1000.0, space=space).fit(spiral, arm)
    plot_partition(found, spiral, arm, ax=ax)
    ax.set_title(f"{space}: {found.score(spiral, arm):.0%} right")

# %%
# `MOCTSVMClassifier` and `OCTSVMClassifier` have the same spaces. The page on spaces says how each
# is learnt.
#
# The depth
# ---------
#
# A class tree needs no depth from you. It has one split fewer than classes, and is as deep as its
# best hierarchy. A smaller ``max_depth`` gives shorter paths, and the best tree among those.
# A MOCTSVM of depth D has up to :math:`2^D` leaves. It needs at least
# :math:`\lceil \log_2 K \rceil` levels for K classes, and more if classes have several pieces.
#
# How sure is the result?
# -----------------------
#
# For up to ten classes a class tree comes with a proof, usually within a second. With more classes
# its hierarchy is improved eight groups of classes at a time; the bound is then proved for eight
# classes only. A MOCTSVM is found by a search. ``method="exact"`` proves it on small data.
#
# Let the data decide
# -------------------
#
# `TreeClassifierCV` chooses the costs of either. For class trees it chooses the space, too:
# straight splits, unless quadratic ones are better by half a standard error on left-out rows. With
# ``last_fit="average"`` the hyperplanes of a class tree become averages over all candidates, by
# their scores. That is still one tree, but it minimises no single objective and has no proof.

from margintree import TreeClassifierCV
from margintree.data.datasets import load

wine = load("wine")
points = [{"max_depth": 2, "c1": 10.0, "c2": c2, "c3": 1.0} for c2 in (0.1, 1.0, 10.0)]
for estimator, candidates in ((ClassTreeClassifier(), None), (MOCTSVMClassifier(), points)):
    chosen = TreeClassifierCV(estimator, candidates).fit(wine.X, wine.y)
    name, parameters = type(estimator).__name__, chosen.best_params_
    print(f"{name}: {chosen.best_score_:.3f} with {parameters}, {chosen.tree_.n_splits} splits")

# %%
# In short
# --------
#
# - Many classes, each in one piece, or a need for a proof: `ClassTreeClassifier`.
# - Curved borders and not too many features: ``space="quadratic"``, with a budget to keep it short.
# - Any border, and nobody needs to read the splits: ``space="rbf"``.
# - Classes in several pieces, rules about leaves or features, costs of single errors:
#   `MOCTSVMClassifier`.
# - Splits on a single feature: `OCTClassifier`, which proves its trees, too.
# - Two classes with labels that may be wrong: `OCTSVMClassifier`.
