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

# %%
# A proof
# -------
#
# Twelve rows are few enough to prove it: eight on a ring and four inside. The best straight tree of
# depth two, with cheap margins, still makes two errors; the bound says that no tree makes fewer. A
# quadratic MOCTSVM of depth one makes none, and no row lies inside its margin.


def circle(n_points, radius, turn):
    """Return points on a circle."""
    angle = 2 * np.pi * np.arange(n_points) / n_points + turn
    return radius * np.column_stack([np.cos(angle), np.sin(angle)])


few = np.vstack([circle(8, 1.0, 0.0), circle(4, 0.6, 0.3)])
labels = np.repeat(["ring", "core"], [8, 4])
costs = {"c1": 1000.0, "c3": 0.0, "method": "exact"}
proved = MOCTSVMClassifier(max_depth=2, c2=0.01, **costs).fit(few, labels)
round_split = MOCTSVMClassifier(max_depth=1, c2=100.0, space="quadratic", **costs).fit(few, labels)
print(f"straight: {proved.cost_.errors / 1000:.0f} errors, bound {proved.bound_ / 1000:.2f}")
print(f"quadratic: {round_split.cost_.errors / 1000:.0f} errors, {round_split.result_.ended}")

figure, axes = plt.subplots(1, 2, figsize=(11, 4.8), layout="constrained")
for ax, clf in zip(axes, (proved, round_split), strict=True):
    plot_partition(clf, few, labels, feature_names=["width", "height"], ax=ax)
    ax.set_title(f"space={clf.space!r}, depth {clf.max_depth}: {clf.score(few, labels):.0%} right")
