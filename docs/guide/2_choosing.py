"""
Choosing depth and costs
========================

Four numbers decide which tree is good: its largest depth, and the costs of a misclassified row
(``c1``), of margin violation (``c2``) and of a split (``c3``). The margin term has a fixed weight,
so only the proportions of the costs to it and to each other matter.
"""

# %%
# The four numbers
# ----------------
#
# ``max_depth``
#     A tree of depth D asks every row at most D questions and has at most :math:`2^D` leaves. K
#     classes need at least depth :math:`\lceil \log_2 K \rceil`; margintree warns below that. A
#     greater depth never has a larger optimal cost, but it takes longer and may overfit.
# ``c1``, cost of an error
#     A larger value makes the tree give up more margin for one more correct training row. Use a
#     small value for noisy labels and a large value for classes that are truly separate.
# ``c2``, cost of a unit of violation
#     A larger value allows fewer rows inside the margins, so the margins become narrower. As in a
#     support vector machine, small values give wide margins that ignore rows near the border.
# ``c3``, cost of a split
#     A split is made only if it saves at least this cost. Use a larger value for small trees.
#
# Costs count rows, so twice as many rows have the effect of twice the ``c1`` and ``c2``. Features
# are scaled to [0, 1], so the costs do not depend on their units.

# %%
# Costs on data with noise
# ------------------------
#
# The data are two classes in three clouds; one label in twelve is wrong. From left to right ``c1``
# grows, and the tree fits more rows. From top to bottom ``c2`` falls, and the margins become wider.
# At the top left no split is worth its margin, and the tree is a single leaf.

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
# `MOCTSVMClassifierCV` leaves out one quarter of the rows at a time and fits trees of several
# depths and costs to the others. It chooses the combination with the best predictions for the rows
# left out, and among equally good ones the combination with the fewest splits. Along a grid of
# costs every search begins from the trees before it, so a choice takes seconds instead of minutes.
# `plot_scores` shows whether the best point is inside the grid. If it is on an edge, move the grid.

from margintree import MOCTSVMClassifierCV, plot_scores

candidates = {"max_depth": [1, 2], "c1": [0.1, 1, 10], "c2": [0.01, 0.1, 1, 10]}
clf = MOCTSVMClassifierCV(candidates=candidates).fit(X, y)
print(clf.best_params_, f"score {clf.best_score_:.3f}, splits: {clf.tree_.n_splits}")
plot_scores(clf)

# %%
# ``clf.best_estimator_`` is the chosen classifier, and ``clf.cv_results_`` has all scores, as in
# scikit-learn's searches. A parameter with a single value is fixed. ``time_limit`` applies to the
# whole choice, ``n_jobs`` spreads its fits over processes, and ``verbose=1`` reports its progress.
# With thousands of rows the fits of the choice learn from samples (``path_rows``); the last fit
# learns from all rows. The command ``margintree fit`` chooses the depth and the costs in this way,
# unless you give them. Without ``candidates`` the best combinations are tried with products of
# columns, too, and curved splits are taken only if they predict clearly better.
#
# `TreeClassifierCV` does the same for the other classifiers. For CART and OCT it chooses the number
# of splits, for OCT-H the cost of a feature, and for OCTSVM its costs.

from margintree import CARTClassifier, TreeClassifierCV

cart = TreeClassifierCV(CARTClassifier()).fit(X, y)
print(cart.best_params_, f"score {cart.best_score_:.3f}")

# %%
# You can also use any other search over parameters, such as scikit-learn's `GridSearchCV` with a
# `MOCTSVMClassifier`. Report the score of a choice on rows that it did not use: hold some rows out
# first, or nest one cross-validation in another. The best score of a grid is always a little too
# high.

# %%
# Choosing the depth
# ------------------
#
# The choice above includes the depth. To choose it by hand, start with the least depth that can
# name all classes, and go deeper as long as the score on held-out rows improves;
# :ref:`an example <sphx_glr_auto_examples_choose_depth.py>` compares depths.
