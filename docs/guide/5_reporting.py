"""
Reporting and exporting
=======================

A fitted tree can leave Python in several ways: as a page that explains it, as text, as code, as a
query, as a file. All of them name features and classes as you do, and use original units.
"""

from margintree import MOCTSVMClassifier, plot_tree
from margintree.data.datasets import load

iris = load("iris")
names = list(iris.feature_names)
clf = MOCTSVMClassifier(max_depth=2, c1=10.0, c3=1.0).fit(iris.X, iris.y)
plot_tree(clf, feature_names=names)

# %%
# A page that explains the tree
# -----------------------------
#
# ``clf.report(X, y)`` makes one HTML page: the tree, the way of every row through it, what would
# happen with other values, the smallest change of a feature that changes a prediction, scores, and
# what the fit cost and proved. It needs no network; in a notebook it shows itself.
# `Here is the report on this tree <../../report.html>`_. On the command line it is
# ``margintree report``.

report = clf.report(iris.X, iris.y, feature_names=names)
print(report)

# %%
# Rules and graphs
# ----------------
#
# `export_text` gives rules to follow by hand, and `export_dot` the same as a graph for Graphviz.

from margintree import export_dot

print(export_dot(clf, feature_names=names)[:90], "...")

# %%
# Python without margintree
# -------------------------
#
# `to_python` returns the source of a module that imports nothing. Its arithmetic is that of the
# classifier in the same order, so its labels are the same on every row.

from margintree import to_python

module = {}
exec(to_python(clf, feature_names=names), module)
same = [module["predict"](row) for row in iris.X] == clf.predict(iris.X).tolist()
print(same, module["predict_proba"](iris.X[0]))

# %%
# In a database
# -------------
#
# `to_sql` returns an expression of standard SQL.
# :ref:`An example <sphx_glr_auto_examples_export_sql.py>` runs one in SQLite.

from margintree import to_sql

print(to_sql(clf, column_names=["sl", "sw", "pl", "pw"])[:260], "...")

# %%
# ONNX
# ----
#
# ``margintree.to_onnx(clf)`` returns a model for onnxruntime and the like; it needs the extra
# ``onnx``. Scaling is inside: feed raw rows as 64-bit floats.
#
# Model files
# -----------
#
# `save` and `load` keep the classifier itself, with what was proved about it, as JSON without code.
# :doc:`The model format </model-format>` is documented. Pickle works as well, but runs code when it
# is read.
#
# From the command line
# ---------------------
#
# :doc:`The command </auto/command>` writes all of these: ``margintree export model.json --format
# sql``, or ``text``, ``dot``, ``json``, ``python``, ``onnx``. :doc:`Taking a tree elsewhere
# </exports>` says what is exact in them and what is rounded.
