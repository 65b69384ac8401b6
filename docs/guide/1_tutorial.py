"""
margintree in ten minutes
=========================

A classification tree asks a few questions and then names a class. In margintree every question is
a hyperplane with a margin, as in a support vector machine, and all questions are chosen together,
so that the whole tree is as good as it can be. This page goes from a table to a tree that you can
read, check, prove and save.

Install it with ``pip install '.[plot]'`` in a clone of the repository; the extra ``plot`` brings
matplotlib.
"""

# %%
# Fit
# ---
#
# `MOCTSVMClassifier` is a scikit-learn classifier. We learn from 30 flowers and hold 120 back.

from sklearn.datasets import load_iris
from sklearn.model_selection import train_test_split

from margintree import MOCTSVMClassifier

iris = load_iris(as_frame=True)
X, y = iris.data, iris.target_names[iris.target]
X_train, X_test, y_train, y_test = train_test_split(X, y, train_size=30, stratify=y, random_state=0)

clf = MOCTSVMClassifier(max_depth=2, c1=10.0).fit(X_train, y_train)
print(f"accuracy on new rows: {clf.score(X_test, y_test):.3f}")

# %%
# The first fits after an installation compile the kernels of the search, once; they stay on
# disk.
#
# Look
# ----
#
# The tree as a picture. Coefficients are in original units, since the features are numbers that
# you know; the bar beside a coefficient says how much it matters over the range of its feature.

from margintree import plot_tree

plot_tree(clf)

# %%
# The same tree as text, with as many digits as are needed to follow it by hand:

from margintree import export_text

print(export_text(clf))

# %%
# Use
# ---
#
# Labels, shares of the classes in the leaf, the leaf itself, and how far a row is from every
# hyperplane that it passes (in units of the margin: 1 is where the margin ends).

new = X_test[:3]
print(clf.predict(new))
print(clf.predict_proba(new))
print(clf.apply(new))
print(clf.split_values(new).round(2))

# %%
# Check
# -----
#
# What the tree pays, term by term. The terms add up to ``objective_``, which is what was minimised.

for term in ("margin", "errors", "violations", "splits"):
    print(f"{term:11}{getattr(clf.cost_, term):8.3f}")
print(f"{'total':11}{clf.objective_:8.3f}")

# %%
# The search also knows a cost below which no tree can go, so you always see how much could be won
# at most:

print(f"no tree costs less than {clf.bound_:.3f}; the gap is {clf.gap_:.1%}")

# %%
# Prove
# -----
#
# ``method="exact"`` goes on until the gap is closed. A start from the tree that we have saves time.

proved = MOCTSVMClassifier(max_depth=2, c1=10.0, method="exact", start=clf)
proved.fit(X_train, y_train)
print(f"optimal: {proved.optimal_}, cost {proved.objective_:.3f}, bound {proved.bound_:.3f}")

# %%
# Save
# ----
#
# A model file is JSON without code. What comes back predicts the same.

from pathlib import Path
from tempfile import TemporaryDirectory

from margintree import load, save

with TemporaryDirectory() as folder:
    path = Path(folder) / "iris.json"
    save(clf, path)
    again = load(path)
print(bool((again.predict(X_test) == clf.predict(X_test)).all()))

# %%
# Go on
# -----
#
# All of scikit-learn works around it: pipelines, ``cross_val_score``, ``GridSearchCV``, sample and
# class weights. :ref:`The next page <sphx_glr_auto_guide_2_choosing.py>` says how to choose the
# depth and the costs, and :ref:`another <sphx_glr_auto_guide_3_reading.py>` how to read a tree.
# Everything above can be done without Python, by :doc:`the command </auto/command>`.
