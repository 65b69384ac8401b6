"""
margintree in ten minutes
=========================

A classification tree asks a few questions and then names a class. In margintree every question is
a hyperplane with a margin, as in a support vector machine. All questions are optimised together, so
the whole tree is as good as possible. This page goes from a table to a tree that you can read,
check, prove and save.

Install it with ``pip install '.[plot]'`` in a clone of the repository; the extra ``plot`` brings
matplotlib.
"""

# %%
# Fit
# ---
#
# `MOCTSVMClassifier` is a scikit-learn classifier. It learns from 30 flowers; 120 are held out.

from sklearn.datasets import load_iris
from sklearn.model_selection import train_test_split

from margintree import MOCTSVMClassifier

iris = load_iris(as_frame=True)
X, y = iris.data, iris.target_names[iris.target]
X_train, X_test, y_train, y_test = train_test_split(X, y, train_size=30, stratify=y, random_state=0)

clf = MOCTSVMClassifier(max_depth=2, c1=10.0).fit(X_train, y_train)
print(f"accuracy on new rows: {clf.score(X_test, y_test):.3f}")

# %%
# The first fits after an installation compile the kernels of the search. Later fits load them from
# disk.
#
# Plot
# ----
#
# This is the tree as a picture. Coefficients are in the original units of the features. The bar
# beside a coefficient shows how much it matters over the range of its feature.

from margintree import plot_tree

plot_tree(clf)

# %%
# This is the same tree as text, with enough digits to follow it by hand:

from margintree import export_text

print(export_text(clf))

# %%
# Predict
# -------
#
# The classifier gives labels, the shares of the classes in the leaf, the leaf itself, and the
# distance of a row from every hyperplane that it passes. The margin ends at the distance 1.

new = X_test[:3]
print(clf.predict(new))
print(clf.predict_proba(new))
print(clf.apply(new))
print(clf.split_values(new).round(2))

# %%
# Check the cost
# --------------
#
# The cost of the tree has several terms. They add up to ``objective_``, which the fit minimises.

for term in ("margin", "errors", "violations", "splits"):
    print(f"{term:11}{getattr(clf.cost_, term):8.3f}")
print(f"{'total':11}{clf.objective_:8.3f}")

# %%
# The search also proves a lower bound on the cost of any tree, so you always see how much a better
# tree could save at most:

print(f"lower bound on the cost of any tree: {clf.bound_:.3f}; gap: {clf.gap_:.1%}")

# %%
# Prove optimality
# ----------------
#
# ``method="exact"`` continues until the gap is closed. A start from the fitted tree saves time.

proved = MOCTSVMClassifier(max_depth=2, c1=10.0, method="exact", start=clf)
proved.fit(X_train, y_train)
print(f"optimal: {proved.optimal_}, cost {proved.objective_:.3f}, bound {proved.bound_:.3f}")

# %%
# Save and load
# -------------
#
# A model file is JSON without code. The loaded classifier gives the same predictions.

from pathlib import Path
from tempfile import TemporaryDirectory

from margintree import load, save

with TemporaryDirectory() as folder:
    path = Path(folder) / "iris.json"
    save(clf, path)
    again = load(path)
print(bool((again.predict(X_test) == clf.predict(X_test)).all()))

# %%
# Next steps
# ----------
#
# The classifier works with all of scikit-learn: pipelines, ``cross_val_score``, ``GridSearchCV``,
# sample and class weights. :ref:`The next page <sphx_glr_auto_guide_2_choosing.py>` shows how to
# choose the depth and the costs, and :ref:`another <sphx_glr_auto_guide_3_reading.py>` how to read
# a tree. :doc:`The command </auto/command>` does all of this without Python.
