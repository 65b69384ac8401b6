"""
A proof as it grows
===================

The search finds the tree in the first moments; the rest of the time is for the proof. The picture
shows the cost of the best tree so far, and below it the bound that no tree goes under. When they
meet, the tree is proved optimal.
"""

from margintree import MOCTSVMClassifier, plot_trace
from margintree.data.datasets import load

iris = load("iris")
clf = MOCTSVMClassifier(max_depth=2, c1=3.0, c3=1.0, method="exact", time_limit=60)
clf.fit(iris.X[1::5], iris.y[1::5])
plot_trace(clf)

# %%

print(f"{clf.result_.solver} {clf.result_.version}: gap {clf.gap_:.2%}, optimal: {clf.optimal_}")
