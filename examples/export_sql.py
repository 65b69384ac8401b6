"""
A tree inside a database
========================

The tree becomes an expression of SQL, and SQLite predicts: here 40,000 flowers that nobody has ever
seen, on a grid of petals. Each dot has the colour of the class that the database found; the lines
are drawn from the tree. No row leaves the database, and no Python predicts.
"""

import sqlite3

import numpy as np

from margintree import MOCTSVMClassifier, plot_partition, to_sql
from margintree.data.datasets import load

iris = load("iris")
X = iris.X[:, 2:]
clf = MOCTSVMClassifier(max_depth=2, c1=10.0, c3=1.0).fit(X, iris.y)

# %%
# A table of petals, and the query.

lengths, widths = np.meshgrid(np.linspace(0.8, 7.1, 200), np.linspace(0.0, 2.6, 200))
grid = np.column_stack([lengths.ravel(), widths.ravel()])
base = sqlite3.connect(":memory:")
base.execute("CREATE TABLE petals (length REAL, width REAL)")
base.executemany("INSERT INTO petals VALUES (?, ?)", grid.tolist())
expression = to_sql(clf, column_names=["length", "width"])
found = np.array([label for (label,) in base.execute(f"SELECT {expression} FROM petals")])
base.close()

# %%
# What it found, under the picture of the tree.

ax = plot_partition(clf, X, iris.y, feature_names=["petal length (cm)", "petal width (cm)"])
colours = dict(zip(clf.classes_, ("#0072b2", "#e69f00", "#009e73"), strict=True))
ax.scatter(*grid[::7].T, s=0.6, c=[colours[label] for label in found[::7]])
print(f"{(found == clf.predict(grid)).mean():.0%} of {len(grid):,} as predicted in Python")
