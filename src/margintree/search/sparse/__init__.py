"""The native search for oblique trees with few features: OCT-H.

Errors and features add up over a tree, so for given rows every subtree is a problem of its own. The
search starts from trees of several kinds. It improves one split after the other with everything
below fixed, and rebuilds a random subtree when no split improves. Candidate weights are the present
ones, single features, a change of one weight, and the solution of a linear program that weighs
errors against the sizes of the weights. The threshold is always the best one.
"""
