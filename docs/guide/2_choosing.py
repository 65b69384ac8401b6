"""
Choosing depth and costs
========================

Four numbers decide what a good tree is: how deep it may be, and what it pays for a misclassified
row (``c1``), for margin violation (``c2``) and for a split (``c3``). Only their proportions to the
margin term, whose price is fixed, and to each other matter.
"""

# %%
# What each number does
# ---------------------
#
# ``max_depth``
#     A tree of depth D asks every row at most D questions and has at most :math:`2^D` leaves. K
#     classes need depth :math:`\lceil \log_2 K \rceil` at least; margintree warns below that. A
#     greater depth never costs more, as a tree need not use it, but it takes longer and may
#     overfit.
# ``c1``, cost of an error
#     The larger it is, the more margin the tree gives up to get one more training row right. With
#     noisy labels take it small; where the classes really are separate, large.
# ``c2``, cost of a unit of violation
#     The larger it is, the emptier the margins must be, so the narrower they become. As in a
#     support vector machine, small values give wide margins that ignore rows near the border.
# ``c3``, cost of a split
#     What a split must save to be worth its place. It is the knob for small trees.
#
# Costs count rows, so twice as many rows are like twice the ``c1`` and ``c2``. Features are scaled
# to [0, 1], so the costs do not depend on their units.

# %%
# Costs on data with noise
# ------------------------
#
# Two classes in three clouds; one label in twelve is wrong. From left to right ``c1`` grows and
# the tree goes after more rows; from top to bottom ``c2`` falls and its margins become wider. At
# the top left no split is worth its margin, and the tree is a single leaf.

import matplotlib.pyplot as plt
import numpy as np

from margintree import MOCTSVMClassifier, plot_partition

rng = np.random.default_rng(3)
middles = np.array([[0.2, 0.3], [0.5, 0.75], [0.8, 0.3]])
cloud = rng.integers(0, 3, size=96)
X = middles[cloud] + rng.normal(scale=0.11, size=(96, 2))
y = (cloud == 1).astype(int)
y[::12] = 1 - y[::12]

figure, axes = plt.subplots(2, 2, figsize=(10, 7.5), layout="constrained")
for row, c2 in zip(axes, (10.0, 0.1), strict=True):
    for ax, c1 in zip(row, (1.0, 100.0), strict=True):
        clf = MOCTSVMClassifier(max_depth=3, c1=c1, c2=c2, c3=0.5, max_iter=20).fit(X, y)
        plot_partition(clf, X, y, ax=ax)
        ax.set_title(f"c1 = {c1:g}, c2 = {c2:g}: {clf.tree_.n_splits} splits")

# %%
# Let cross-validation choose
# ---------------------------
#
# `MOCTSVMClassifierCV` fits trees of several depths and costs without a quarter of the rows, four
# times, and keeps the combination that predicts the rows left out best; of several that do equally
# well, the one with the fewest splits. Along a grid of costs every search begins from the trees
# before it, so that a choice takes seconds where fits one by one would take minutes. `plot_path`
# shows whether the best point lies inside the grid; where it lies on an edge, move the grid.

from margintree import MOCTSVMClassifierCV, plot_path

candidates = {"max_depth": [1, 2], "c1": [0.1, 1, 10], "c2": [0.01, 0.1, 1, 10]}
clf = MOCTSVMClassifierCV(candidates=candidates).fit(X, y)
print(clf.best_params_, f"score {clf.best_score_:.3f}, splits: {clf.tree_.n_splits}")
plot_path(clf)

# %%
# What was chosen is a classifier like any other, ``clf.best_estimator_``; ``clf.cv_results_`` has
# all scores, as scikit-learn's searches do. A parameter with a single value is not chosen.
# ``time_limit`` holds for the whole choice, ``n_jobs`` spreads its fits over processes, and
# ``verbose=1`` tells how far it is. Of thousands of rows the fits of the choice learn from samples
# (``path_rows``); the last fit, with what was chosen, learns from all of them. The command
# ``margintree fit`` chooses in this way whatever depth or cost it is not given.
#
# `TreeClassifierCV` does the same for any of our classifiers. You give it the classifier with all
# parameters that are not chosen. By default it chooses the number of splits of CART and OCT, the
# price of a feature of OCT-H, and the costs of MOCTSVM and OCTSVM.

from margintree import CARTClassifier, TreeClassifierCV

cart = TreeClassifierCV(CARTClassifier()).fit(X, y)
print(cart.best_params_, f"score {cart.best_score_:.3f}")

# %%
# Any other search over parameters works as well, such as scikit-learn's `GridSearchCV` around a
# `MOCTSVMClassifier`. Report the score of a choice on rows that had no part in it: hold some back
# first, or nest one cross-validation in another. The best score of a grid is always a little too
# good.

# %%
# Choosing the depth
# ------------------
#
# It is chosen with the costs unless it is given. To do it by hand, start with the least depth that
# can name all classes, and go deeper while the score on held-out rows gains;
# :ref:`an example <sphx_glr_auto_examples_choose_depth.py>` compares depths.
