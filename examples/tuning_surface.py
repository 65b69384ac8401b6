"""
The score over two costs
========================

Mean accuracy on held-out folds over ``c1`` and ``c2``, for a third of the wine data. Every cell is
a cross-validation.

In the dark corner margins cost more than the errors that they save, and the tree is a single leaf.
"""

from sklearn.model_selection import GridSearchCV, StratifiedKFold

from margintree import MOCTSVMClassifier, plot_scores
from margintree.data.datasets import load

wine = load("wine")
grid = {"c1": [0.01, 0.1, 1, 10, 100], "c2": [0.001, 0.01, 0.1, 1, 10]}
search = GridSearchCV(
    MOCTSVMClassifier(max_depth=2, max_iter=1),
    grid,
    cv=StratifiedKFold(3, shuffle=True, random_state=0),
)
search.fit(wine.X[::3], wine.y[::3])
plot_scores(search)
