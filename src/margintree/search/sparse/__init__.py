"""The native search for oblique trees with few features: OCT-H.

Errors and features add up over a tree, so with its rows given every subtree is a problem of its
own. The search improves one split after the other with what is below it fixed, from trees of
several kinds, and rebuilds a random subtree when nothing improves any more. A split's weights come
from the weights it has, from single features, from a change of one weight, and from a linear
program that weighs errors against the sizes of the weights; its threshold is the best of all.
"""
