"""
A curved split for a ring
=========================

One class is a core, and the other a ring around it. A leaf of a tree of depth two lies between at
most two lines, so it is open to one side and cannot hold the core without a part of the ring. One
curved split is enough.
"""

import matplotlib.pyplot as plt
import numpy as np

from margintree import ClassTreeClassifier, MOCTSVMClassifier, export_text, plot_partition

rng = np.random.default_rng(0)
is_ring = np.arange(100) % 2 == 1
angle = rng.uniform(0, 2 * np.pi, 100)
radius = np.where(is_ring, 1.0, 0.4) + rng.uniform(-0.15, 0.15, 100)
X = 5 + radius[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])
y = np.where(is_ring, "ring", "core")

straight = MOCTSVMClassifier(max_depth=2, c1=10.0, c2=1.0, c3=0.1).fit(X, y)
curved = ClassTreeClassifier(C=1000.0, space="quadratic").fit(X, y)

# %%
# The dashed lines are the margins. The curved split has the widest margin of all quadratic
# functions that separate the two classes: it is a support vector machine over the two features,
# their squares and their product.

figure, axes = plt.subplots(1, 2, figsize=(11, 4.8), layout="constrained")
for ax, clf in zip(axes, (straight, curved), strict=True):
    plot_partition(clf, X, y, feature_names=["width", "height"], ax=ax)
    ax.set_title(f"{type(clf).__name__}: {clf.score(X, y):.0%} right")

# %%
# In the units of the table:

print(export_text(curved, feature_names=["width", "height"]))
