"""
How to read a tree
==================

A tree of margintree is a handful of weighted sums and thresholds. This page reads one, card by
card, and then follows a row through it by hand.
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
# - **Head.** The number of the node, and how many training rows come to it. The root is 1, the
#   children of t are 2t and 2t + 1. Nodes that do not split are left out of the picture.
# - **Terms.** The most influential features with their coefficients *in original units*: multiply
#   each feature of your row as it stands in your table.
# - **Bars.** Coefficients of features with different units cannot be compared; the bars can. A bar
#   is how far the feature moves the sum from its least to its greatest training value. Black adds,
#   white subtracts.
# - **Threshold.** When the sum reaches it, follow "yes", to the right.
# - **Margin.** Every sum is scaled such that the margin ends at a distance of 1 from the threshold.
#   A row whose sum is 0.2 above it is a close call, one at 3 is not. The width is measured in the
#   box in which every feature spans 1, so it can be compared between splits and between trees.
# - **Strip.** The classes of the training rows that come here. Splits part *groups* of classes:
#   at the root one class may be parted from two others, or a class from another part of itself.
#
# A leaf names its class, and its strip shows what else came to it.

# %%
# By hand
# -------
#
# The text has all terms. Its digits are as many as are needed for a training row to take the same
# way through the rounded rules as through the tree.

print(export_text(clf, feature_names=wine.feature_names))

# %%
# ``split_values`` gives what every split says of a row: its sign is the side (right from 0 on), its
# size the distance in units of half a margin. A node that does not split says NaN.

row = wine.X[[100]]
print(clf.split_values(row).round(3), clf.apply(row), clf.predict(row))

# %%
# The same by hand, at the root, from the arrays of the tree in original units:

raw = clf.tree_.in_original_units()
print((row @ raw.weights[0] + raw.intercepts[0]).round(3))

# %%
# How sure is it?
# ---------------
#
# ``predict_proba`` gives the shares of the classes among the training rows of the leaf, which in a
# pure leaf are 0 and 1. With ``smoothing=1`` every class gets one row more (Laplace's rule). The
# distance to the closest hyperplane on the way is often more telling: here are the closest calls
# among all rows.

import numpy as np

values = np.abs(clf.split_values(wine.X))
visited = clf.decision_path(wine.X).toarray()[:, : values.shape[1]].astype(bool)
closest = np.nanmin(np.where(visited, values, np.nan), axis=1)
called = clf.predict(wine.X)
for i in np.argsort(closest)[:3]:
    print(f"row {i}: {closest[i]:.3f} half margins away, {wine.y[i]}, called {called[i]}")
