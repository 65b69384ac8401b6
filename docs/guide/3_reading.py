"""
How to read a tree
==================

A tree of margintree consists of a few weighted sums and thresholds. This page explains the cards of
a tree, and then follows a row through it by hand.
"""

from margintree import MOCTSVMClassifier, export_text, plot_tree
from margintree.data.datasets import load

wine = load("wine")
clf = MOCTSVMClassifier(max_depth=2, c1=10.0, c3=1.0).fit(wine.X, wine.y)
plot_tree(clf, feature_names=wine.feature_names)

# %%
# A card of a split
# -----------------
#
# - **Head.** The number of the node, and the number of training rows that reach it. The root is 1;
#   the children of t are 2t and 2t + 1. The picture leaves out nodes that do not split.
# - **Terms.** The most influential features with their coefficients *in original units*: multiply
#   them by the values in your table.
# - **Bars.** Coefficients of features with different units cannot be compared; the bars can. A bar
#   is the change of the sum from the least to the greatest training value of the feature. Black
#   adds, white subtracts.
# - **Threshold.** If the sum reaches it, follow "yes", to the right.
# - **Margin.** A sum is scaled such that the margin ends at a distance of 1 from the threshold; a
#   row at a distance of 0.2 is a close call, a row at 3 is not. Only a split in round numbers has
#   another scale, and its card says where the margin ends. The width is measured in the box
#   in which every feature spans 1, so you can compare splits and trees.
# - **Strip.** The classes of the training rows at this node. Splits separate *groups* of classes:
#   the root may separate one class from two others, or one part of a class from another part.
#
# A leaf names its class, and its strip shows the other classes in it.

# %%
# By hand
# -------
#
# The text has all terms. It has enough digits that every training row takes the same path through
# the rounded rules as through the tree.

print(export_text(clf, feature_names=wine.feature_names))

# %%
# ``split_values`` gives the value of every split for a row. Its sign is the side (right from 0 on),
# and its size the distance in units of half a margin. A node that does not split has the value NaN.

row = wine.X[[100]]
print(clf.split_values(row).round(3), clf.apply(row), clf.predict(row))

# %%
# Here is the same value at the root by hand, from the arrays of the tree in original units:

raw = clf.tree_.in_original_units()
print((row @ raw.weights[0] + raw.intercepts[0]).round(3))

# %%
# Certainty of a prediction
# -------------------------
#
# ``predict_proba`` gives the shares of the classes among the training rows of the leaf. In a pure
# leaf they are 0 and 1. With ``smoothing=1`` every class gets one row more (Laplace's rule). The
# distance to the closest hyperplane on the path often says more. Here are the closest calls among
# all rows.

import numpy as np

values = np.abs(clf.split_values(wine.X))
visited = clf.decision_path(wine.X).toarray()[:, : values.shape[1]].astype(bool)
closest = np.nanmin(np.where(visited, values, np.nan), axis=1)
called = clf.predict(wine.X)
for i in np.argsort(closest)[:3]:
    print(f"row {i}: {closest[i]:.3f} half margins away, {wine.y[i]}, called {called[i]}")
