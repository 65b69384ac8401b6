"""
Proofs and gaps
===============

A fit gives a tree and a proved bound on how good it is. You get both after every fit, even if a
limit stopped it.
"""

# %%
# Bound and gap
# -------------
#
# ``objective_`` is the cost of the tree, ``bound_`` a lower bound on the cost of any tree of this
# depth, and ``gap_`` their difference as a share of the cost. The search proves a bound without a
# solver: it uses pairs of close rows of different classes, and the numbers of classes and leaves.

from margintree import MOCTSVMClassifier, plot_trace
from margintree.data.datasets import load

wine = load("wine")
rows = slice(0, None, 6)
X, y = wine.X[rows], wine.y[rows]
found = MOCTSVMClassifier(max_depth=2, c1=10.0, c3=1.0).fit(X, y)
print(f"cost {found.objective_:.3f}, bound {found.bound_:.3f}, gap {found.gap_:.1%}")

# %%
# The exact method
# ----------------
#
# ``method="exact"`` searches first, and then continues until the tree is proved optimal. It stops
# when the gap is at most ``gap`` (1e-4 by default), when the time is over, or when you press
# Ctrl-C. A MOCTSVM has a proof engine of its own, "native"; ``solver`` chooses another one. The
# trace shows how the bound approaches the cost.

proved = MOCTSVMClassifier(max_depth=2, c1=10.0, c3=1.0, method="exact", time_limit=60).fit(X, y)
plot_trace(proved)

# %%

result = proved.result_
print(f"optimal: {proved.optimal_}; reason: {result.reason.value}; solver: {result.solver}")
print(f"the search's tree cost {found.objective_:.4f}, the optimum is {proved.objective_:.4f}")

# %%
# Reason, limit and optimality
# ----------------------------
#
# ``result_.reason`` is the reason why the fit stopped, ``result_.limit`` the limit that it met, and
# ``optimal_`` says whether the gap is closed. These fields are separate, since a fit may reach its
# time limit with a proof, or finish without one. Even with no time at all you get a tree and a
# bound:

hasty = MOCTSVMClassifier(max_depth=2, c1=10.0, c3=1.0, method="exact", time_limit=0).fit(X, y)
print(hasty.result_.reason.value, hasty.result_.limit, f"gap {hasty.gap_:.1%}")

# %%
# Size of provable problems
# -------------------------
#
# Proofs are for small problems: up to about a hundred rows at depth 1 or 2, and at depth 3 where
# classes hardly overlap. Larger problems get a bound and a gap. :doc:`Proving a tree optimal
# </exact>` explains the proof, and :doc:`the benchmarks </auto/benchmarks>` measure its time. The
# costs matter as well. With a large ``c1`` the optimum is a tree without errors, if there is one,
# and this is easy to prove. With medium costs many trees are nearly as good as the best, and it
# takes time to exclude them.
