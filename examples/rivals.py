"""
Greedy, optimal, and optimal with room
======================================

Two classes on the fields of a tilted chequerboard. CART takes the best first split whatever
follows, and no first split is any good here. OCT-H finds a tree without errors, since it looks at
the tree as a whole and at two features at a time; where between the rows its borders run is all the
same to it. OCTSVM and MOCTSVM find such trees, too, and keep their borders away from the rows.
"""

import matplotlib.pyplot as plt
import numpy as np

from margintree import (
    CARTClassifier,
    MOCTSVMClassifier,
    OCTHClassifier,
    OCTSVMClassifier,
    plot_partition,
)

rng = np.random.default_rng(3)
X = rng.uniform(-1, 1, (90, 2))
tilt = 0.35
across = X @ [np.cos(tilt), np.sin(tilt)]
along = X @ [-np.sin(tilt), np.cos(tilt)]
is_clear = np.minimum(np.abs(across), np.abs(along)) > 0.12
y = np.where(across * along > 0, "cross", "ring")
X, y = X[is_clear], y[is_clear]

# %%
# All trees have two levels of splits. ``c2`` is what it costs OCTSVM to relabel a row: at the root
# half of the rows are on the side of the other class.

models = {
    "CART": CARTClassifier(max_depth=2),
    "OCT-H": OCTHClassifier(max_depth=2, alpha=0.001),
    "OCTSVM": OCTSVMClassifier(max_depth=2, c1=1000.0, c2=10.0),
    "MOCTSVM": MOCTSVMClassifier(max_depth=2, c1=1000.0, c2=1000.0),
}
for model in models.values():
    model.fit(X, y)

figure, axes = plt.subplots(2, 2, figsize=(11, 10), layout="constrained")
for ax, (name, model) in zip(axes.flat, models.items(), strict=True):
    plot_partition(model, X, y, ax=ax, feature_names=["first feature", "second feature"])
    ax.set_title(f"{name}: {(model.predict(X) != y).sum()} errors")

# %%
# How close do rows come to the borders that they pass?


def closest(model):
    """Return the smallest distance, in units of the training box, of a row from a split."""
    distances = np.abs(model.split_values(X)) / np.linalg.norm(model.tree_.weights, axis=1)
    passes = model.decision_path(X).toarray()[:, : distances.shape[1]] > 0
    return np.nanmin(np.where(passes, distances, np.nan))


for name, model in models.items():
    print(f"{name:8} {model.score(X, y):6.1%} right, closest row at {closest(model):.4f}")
