"""
Black and white first, colours later
====================================

Labels are read at the leaves only. Above them every split parts its rows into two fictitious
classes, black and white, and which rows are black is part of what is optimised. So a split may part
two classes from two others, and an odd row amid another class can go with its neighbours instead of
bending the hyperplane.

Four classes, four clouds, and three rows whose labels do not belong where they are.
"""

import matplotlib.pyplot as plt
import numpy as np

from margintree import MOCTSVMClassifier, plot_partition

rng = np.random.default_rng(1)
middles = np.array([[1.0, 1.0], [1.3, 4.2], [4.4, 0.9], [4.2, 4.0]])
y = np.repeat([0, 1, 2, 3], 20)
X = middles[y] + rng.normal(scale=0.62, size=(80, 2))
y[[3, 28, 66]] = [3, 2, 0]
labels = np.array(["A", "B", "C", "D"])[y]

clf = MOCTSVMClassifier(max_depth=2, c1=1.0, c2=1.0, c3=0.1).fit(X, labels)

# %%
# The root sees no labels: it makes two classes of its own.

figure, axes = plt.subplots(2, 2, figsize=(11, 9), layout="constrained")
names = {"feature_names": ["first feature", "second feature"]}
for ax, node in zip(axes.flat, (1, 2, 3), strict=False):
    plot_partition(clf, X, labels, node=node, ax=ax, **names)
plot_partition(clf, X, labels, ax=axes[1, 1], **names)
axes[1, 1].set_title("the leaves, with the labels")

# %%
# The three odd rows are errors, at a price of ``c1`` each. To get them right would need splits with
# very narrow margins, which cost more:

print(f"errors {clf.cost_.errors:g}, margin {clf.cost_.margin:.2f}, total {clf.objective_:.2f}")
