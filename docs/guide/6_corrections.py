"""
Nine corrections to the printed model
=====================================

margintree solves the model of Blanco, Japón and Puerto (`Machine Learning, 2023
<https://doi.org/10.1007/s10994-023-06366-1>`_). In some places the printed model contradicts the
text of its paper. This page explains the differences to a reader who has the paper at hand. It
shows the effect of each misprint on a few points: margintree's model is solved with this one
misprint put back. :doc:`The model itself </mathematics>` has its own page.
"""

# %%
# The instances and the printed versions are in ``tests/printed_variants.py`` and are checked by
# ``tests/exact/programs/test_corrections.py``. The true optimum comes from ``cheapest_tree``, which
# tries every routing of the points and shares no code with the model. (To run only this page, set
# ``PYTHONPATH`` to the folder ``tests``.)

from dataclasses import replace

import printed_variants as printed
from margintree.exact.programs import Strengthening, build
from margintree.testing.margin_oracles import cheapest_tree
from printed_variants import LINE, PLANE, SEVEN, judged, literal, optimum, problem_of

figures = {}


def compare(name, problem, variant):
    """Print the true optimum, the claim of the printed version, and the true cost of its tree."""
    truth = cheapest_tree(problem).cost
    corrected = optimum(build(problem, 1.01 * truth))
    claim, tree = optimum(variant), judged(problem, variant).total
    figures[name] = claim / truth, tree / truth
    print(f"true optimum {truth:8.3f}    corrected model {corrected:8.3f}")
    print(f"as printed   {claim:8.3f}    its tree really costs {tree:8.3f}")


# %%
# 1. Squared or plain norm
# ------------------------
#
# The text has :math:`\frac12\|w\|^2` for the margin, the assembled model :math:`\frac12\|w\|`. The
# squared form is that of support vector machines and the default here; ``margin_term="plain"``
# gives the other form. These are different problems with different optima:

for norm in ("squared", "plain"):
    problem = problem_of(PLANE, (10, 1, 0.5), margin_term=norm)
    print(f"{norm:8} {cheapest_tree(problem).cost:.3f}")

# %%
# 2. A constant is missing in C2
# ------------------------------
#
# The constraints that connect a point's violation to a split must have no effect on points that do
# not reach that split. With the printed coefficient 1 they do: a point outside the node pays for
# its distance to a hyperplane that it never meets. The constraints need a large constant M.
# margintree computes it from the data and a bound on :math:`\|w\|`.

problem = problem_of(SEVEN, (10, 1, 0.1), depth=2)
compare("C2 without M", problem, printed.c2_without_big_m(literal(problem)))

# %%
# 3. Side and sign may disagree
# -----------------------------
#
# In the printed model a point may go to one side although its sign says the other. It then pays a
# violation above 1 and counts as correct. If ``c1`` is large relative to ``c2``, this is cheap, and
# the model claims no errors for a tree that predicts badly.

problem = problem_of(LINE, (20, 0.3, 0.1))
compare("no routing margin", problem, printed.without_routing_margin(literal(problem)))

# %%
# A limit of 1 on violations is not enough. With w = 0 and b = 0 every point is on the hyperplane
# and may go to either side at a cost of 1 unit of violation:

problem = problem_of(LINE, (20, 0.1, 0.1))
compare("violations up to 1", problem, printed.with_e_up_to_one(literal(problem)))

# %%
# So violations are at most 1 - eps (``routing_margin``): every training row keeps a small distance
# from every hyperplane that it passes, and its sign decides its side.
#
# 4. C5 must hold at the leaves
# -----------------------------
#
# C5 connects the child that a point reaches with the side of the point. It is printed for branch
# nodes only. Then nothing connects points with leaves: each point takes a leaf of its class, and
# the tree costs nothing:

problem = problem_of(PLANE, (10, 1, 0.5))
print(f"true optimum {cheapest_tree(problem).cost:.3f}")
print(f"as printed   {abs(optimum(printed.c5_at_branch_nodes_only(literal(problem)))):.3f}")

# %%
# Also, the text of a figure sends the positive side left, while the constraints send it right.
# margintree follows the constraints: :math:`f \ge 0` goes right.
#
# 5. C6b does not make h a product
# --------------------------------
#
# h must be 1 exactly for points that are in a node and on its positive side. As printed,
# :math:`h \le z - \alpha + 1` allows h = 1 for a point on the negative side. Then all points of a
# node seem to go to one side, the node seems not to split, and c3 is never paid. The model needs
# :math:`h \le \alpha` and :math:`\alpha \le z`, which the paper lists among its valid inequalities.

problem = problem_of(PLANE, (10, 1, 5))
truth = cheapest_tree(problem).cost
variant = printed.c6b_as_printed(literal(problem))
print(f"true optimum {truth:.3f}, as printed {optimum(variant):.3f}: a split for nothing")

# %%
# 6. The constant of C8
# ---------------------
#
# C8 counts the errors of a leaf. Its constant must be so large that it has no effect for the
# classes that the leaf does not name. The paper suggests :math:`n - \max_k n_k`. With many points
# of one class and one point of another, this excludes the tree that separates the one point. The
# right constant is :math:`n - n_k`, class by class.

problem = problem_of((PLANE[0], [0, 0, 0, 0, 0, 1]), (10, 1, 0.1))
compare("constant of C8", problem, printed.c8_with_reduced_constant(literal(problem), problem))

# %%
# 7. The valid inequalities
# -------------------------
#
# :math:`z_{is} + z_{js} \le z_{it} + z_{jt}` holds for s below t, where it follows from C4. For
# other nodes it is wrong: two points may both be in the leaf s and neither of them in the node t.

problem = problem_of(PLANE, (10, 1, 0.1))
compare("companions", problem, printed.with_companions(literal(problem), problem))

# %%
# "Every class owns a leaf" is not a valid inequality either. With more classes than leaves nothing
# satisfies it, and for a class of a single point amid another class a leaf may cost too much.

X = [[0.0], [1.0], [4.0], [5.0], [6.0], [9.0], [10.0], [4.5]]
problem = problem_of((X, [0, 0, 1, 1, 1, 2, 2, 3]), (10, 1, 1), depth=2)
owns = replace(Strengthening.default(), every_class_owns_leaf=True)
compare("every class a leaf", problem, build(problem, 100.0, owns))

# %%
# It is true that two sibling leaves of a split never need the same class, and margintree uses it.
#
# 8. Fixing clusters is a heuristic
# ---------------------------------
#
# To speed up its solver, the paper sends a dense cluster to the first leaf and a distant cluster to
# the last. The best tree need not do so; it may not even separate them:

problem = problem_of(([[0.0], [0.1], [9.9], [10.0]], [0, 0, 0, 1]), (1, 1, 1))
fixing = replace(Strengthening.none(), cluster_fixing=True)
compare("fixed clusters", problem, build(problem, 10.0, fixing))

# %%
# This is an option here, off by default. Symmetry can be used without loss: if a split is negated
# and its subtrees are swapped, the tree stays the same. So one chosen point of every node may be
# sent left.
#
# 9. Sums over the wrong nodes
# ----------------------------
#
# The assembled objective has sums over all nodes. They mean the branch nodes for violations and
# splits, and the leaves for errors, since the variables exist only there.

program = literal(problem_of(PLANE, (10, 1, 0.5), depth=2))
for name, meaning in (("e", "violations"), ("d", "splits"), ("L", "errors")):
    print(f"{meaning:11} shape {program.block(name).shape}")

# %%
# The text also speaks of twelve data sets where its table has thirteen.
#
# Size of the errors
# ------------------
#
# The picture shows the claims of the printed versions and the true costs of their trees, relative
# to the true optimum. No tree has a cost below 1. A claim above 1 means that the model excludes the
# best tree. A tree above 1 should not have been chosen. The numbers of the others are above.

import matplotlib.pyplot as plt

claims, trees = zip(*figures.values(), strict=True)
_, ax = plt.subplots(figsize=(7, 3.4), layout="constrained")
ax.axvline(1, color="#222222")
ax.hlines(range(len(figures)), claims, trees, color="#c4c4c4")
ax.scatter(claims, range(len(figures)), marker="<", s=60, color="#0072b2", label="claim")
ax.scatter(trees, range(len(figures)), marker="o", s=50, color="#d55e00", label="its tree")
ax.set_yticks(range(len(figures)), figures)
ax.invert_yaxis()
ax.set_xscale("log")
ax.set_xlabel("cost, as a multiple of the true optimum")
ax.legend()
