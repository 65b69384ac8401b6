"""
Reporting and exporting
=======================

You can export a fitted tree as a page that explains it, as text, as code, as a query and as a file.
All exports use your names of features and classes, and original units.
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
# ``clf.report(X, y)`` makes one HTML page. It shows the tree, the path of every row or of your own
# values, the smallest change of a feature that changes a prediction, scores, and the cost and proof
# of the fit. It needs no network, and a notebook shows it directly.
# `Here is the report on this tree <../../report.html>`_. The command is ``margintree report``.

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
# `to_python` returns the source of a module without imports. Its arithmetic is that of the
# classifier in the same order, so the labels agree on every row.

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
# ``margintree.to_onnx(clf)`` returns a model for onnxruntime and similar tools; it needs the extra
# ``onnx``. The model scales the features itself: give it raw rows as 64-bit floats.
#
# Model files
# -----------
#
# `save` writes the classifier and its proof as JSON without code, and `load` reads it. See
# :doc:`the model format </model-format>`. Pickle works as well, but reading a pickle runs code.
#
# From the command line
# ---------------------
#
# :doc:`The command </auto/command>` writes all of these: ``margintree export model.json --format
# sql``, or ``text``, ``dot``, ``json``, ``python``, ``onnx``. :doc:`Exporting a tree </exports>`
# says which numbers are exact and which are rounded.
