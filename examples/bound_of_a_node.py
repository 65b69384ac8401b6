"""
The bound of a node
===================

How the proof engine closes a node of its search, for a tree with one split. The sides of the large
rows are decided, those of the small ones are not. On the right, all costs depend on the norm of the
hyperplane. Any dual variables of the decided rows give a line below their violations; two are
drawn, one for a small norm and one for a large one. Undecided neighbours of different classes pay
as a pair. Margin, the higher line and pairs together are the bound. Where it reaches the cost of
the best tree at every norm, no tree with these sides is cheaper, and the node is closed.
"""

import matplotlib.pyplot as plt
import numpy as np

from margintree.exact.proofs.kernels.ascent import ascend, measure
from margintree.exact.proofs.workspace import squared_distances

rng = np.random.default_rng(1)
sides = np.repeat([-1.0, 1.0], 8)
X = rng.normal(0, 0.25, (16, 2)) + sides[:, None] * [0.45, 0.1]
X -= X.mean(axis=0)
apart, price, eps = squared_distances(X), 1.0, 1e-3
norms = np.linspace(0.01, 6, 200)


def line(rows, norm, steps=5000):
    """Return G and N: at the norm S the violations of the rows are at least G - S N."""
    n, m = len(X), len(rows)
    duals, values, rise, fall = np.zeros((4, n))
    members, own_sides = np.array(rows), sides[rows]
    prices, tails = np.full(n, price), np.full(n, eps)
    room = duals, values, rise, fall
    ascend(apart, members, own_sides, m, prices, tails, norm, 1e3, *room, steps, 1e-9)
    return measure(X, members, m, prices, tails, 10.0, duals)


def best_line(rows):
    """Return the violations of rows at every norm, the highest of all their lines."""
    lines = np.array([line(rows, norm) for norm in norms])
    return np.maximum(0, (lines[:, :1] - np.outer(lines[:, 1], norms)).max(axis=0))


decided = np.array([0, 1, 2, 3, 5, 9, 10, 11, 12, 14])
undecided = np.setdiff1d(np.arange(len(X)), decided)
margin = norms**2 / 2
two_lines = np.array([line(decided, norm) for norm in (1.0, 3.0)])
higher = np.maximum(0, (two_lines[:, :1] - np.outer(two_lines[:, 1], norms)).max(axis=0))

# %%
# Pairs: the closest two undecided rows of different classes, then the next two, and so on.

distances = np.linalg.norm(X[:, None] - X[None], axis=2)
distances[sides[:, None] == sides[None]] = np.inf
free, pairs = set(undecided.tolist()), []
for flat in np.argsort(distances, axis=None):
    i, j = map(int, np.unravel_index(flat, distances.shape))
    if i in free and j in free and np.isfinite(distances[i, j]):
        free -= {i, j}
        pairs.append((i, j))
paid = sum(price * np.maximum(0, 2 - norms * distances[i, j]) for i, j in pairs)

bound = margin + higher + paid
cost = margin + best_line(np.arange(len(X)))
assert (bound <= cost + 1e-6).all()  # what a bound is

# %%

fig, (plane, curves) = plt.subplots(1, 2, figsize=(9, 4), layout="constrained")
for side, colour, name in ((-1, "C0", "left"), (1, "C1", "right")):
    own = np.flatnonzero(sides == side)
    known = np.intersect1d(own, decided)
    plane.scatter(*X[own].T, s=25, facecolor="none", edgecolor=colour)
    plane.scatter(*X[known].T, s=90, color=colour, label=f"goes {name}")
for i, j in pairs:
    plane.plot(*X[[i, j]].T, color="grey", lw=1, ls=":")
plane.legend()
plane.set(title="decided rows, and pairs of others", aspect="equal")
curves.plot(norms, cost, color="black", label="cost if all rows go to their sides")
curves.plot(norms, bound, color="C3", label="bound: margin + duals + pairs")
curves.plot(norms, margin + higher, color="C3", ls="--", label="margin + duals of decided rows")
curves.plot(norms, margin, color="C3", ls=":", label="margin")
curves.axhline(cost.min(), color="grey", lw=0.8)
curves.set(xlabel="norm S of the hyperplane", ylim=(0, 2.2 * cost.min()), title="cost and bounds")
curves.legend()
plt.show()

# %%

print(f"bound {bound.min():.2f}, cost of the best tree with these sides {cost.min():.2f}")
