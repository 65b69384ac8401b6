"""
Proofs and gaps
===============

A fit answers two questions: which tree, and how good it is. The second has a proved answer after
every fit, whatever stopped it.
"""

# %%
# Bound and gap
# -------------
#
# ``objective_`` is what the tree costs, ``bound_`` a cost that no tree of this depth goes below.
# ``gap_`` is how far they are apart, as a share of the cost. The search alone proves a bound
# without any solver, from pairs of close rows of different classes and from counting classes and
# leaves.

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
# ``method="exact"`` hands the problem, with this tree as its start, to a mixed-integer solver, and
# stops when the gap is at most ``gap`` (1e-4 unless you say otherwise), when the time is over, or
# when you press Ctrl-C. The trace shows how the bound comes up to the cost.

proved = MOCTSVMClassifier(max_depth=2, c1=10.0, c3=1.0, method="exact", time_limit=60).fit(X, y)
plot_trace(proved)

# %%

result = proved.result_
print(f"optimal: {proved.optimal_}; reason: {result.reason.value}; solver: {result.solver}")
print(f"the search's tree cost {found.objective_:.4f}, the optimum is {proved.objective_:.4f}")

# %%
# Three fields, not one
# ---------------------
#
# ``result_.reason`` says why it stopped, ``result_.limit`` which limit struck, and ``optimal_``
# whether the gap is closed. They are separate, since a fit may reach its time limit with a proof in
# hand, or finish without one. Even with no time at all there is a tree and a bound:

hasty = MOCTSVMClassifier(max_depth=2, c1=10.0, c3=1.0, method="exact", time_limit=0).fit(X, y)
print(hasty.result_.reason.value, hasty.result_.limit, f"gap {hasty.gap_:.1%}")

# %%
# What to expect
# --------------
#
# Proofs are for small problems: tens of rows, depth 2, a few minutes. Larger ones get a bound and
# a gap. :doc:`Proving a tree optimal </exact>` says what makes the solver fast, and :doc:`the
# benchmarks </auto/benchmarks>` how fast. Costs matter as well: with a large ``c1`` the optimum is
# a tree without errors, which is easy to prove where there is one; in between, many trees are
# nearly as good as the best, and to rule them out takes time.
