"""
Three kinds of iris, two features
=================================

A tree of two splits on the petals of Fisher's irises: the plane as the tree divides it, and the
tree itself. Dashed lines are the ends of the margins; where the kinds overlap, the margin is no
empty strip, and the flowers inside it are paid for.
"""

import matplotlib.pyplot as plt

from margintree import MOCTSVMClassifier, plot_partition, plot_tree
from margintree.data.datasets import load

iris = load("iris")
petals = [2, 3]
X, names = iris.X[:, petals], [iris.feature_names[j] for j in petals]
clf = MOCTSVMClassifier(max_depth=2, c1=10.0, c3=1.0).fit(X, iris.y)

figure, (left, right) = plt.subplots(
    ncols=2, figsize=(12, 5), width_ratios=(6, 5), layout="constrained"
)
plot_partition(clf, X, iris.y, feature_names=names, ax=left)
plot_tree(clf, feature_names=names, ax=right)
