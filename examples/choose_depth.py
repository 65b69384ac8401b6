"""
How deep should it be?
======================

A checkerboard of two classes needs more than one level of splits. The score on rows that the tree
has not seen says how many: it rises until the tree can follow the pattern, and a tree need not use
all the depth that it is allowed.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.model_selection import cross_val_score

from margintree import MOCTSVMClassifier, plot_partition

rng = np.random.default_rng(0)
X = rng.uniform(size=(150, 2))
y = (np.floor(3 * X[:, 0]) + np.floor(2 * X[:, 1])).astype(int) % 2

figure, axes = plt.subplots(2, 2, figsize=(11, 8.5), layout="constrained")
depths, scores = (1, 2, 3, 4), []
for depth in depths:
    clf = MOCTSVMClassifier(max_depth=depth, c1=10.0, c2=0.01, c3=1.0, max_iter=6)
    scores.append(cross_val_score(clf, X, y, cv=4))
    if depth > 1:
        clf.fit(X, y)
        ax = axes.flat[depth - 1]
        plot_partition(clf, X, y, ax=ax)
        ax.get_legend().remove()
        ax.set_title(f"depth {depth}: {clf.tree_.n_splits} splits")

means, spread = np.mean(scores, axis=1), np.std(scores, axis=1)
axes[0, 0].errorbar(depths, means, spread, marker="o", capsize=4, color="#0072b2")
axes[0, 0].set_xticks(depths)
axes[0, 0].set_xlabel("max_depth")
axes[0, 0].set_ylabel("accuracy on held-out folds")
