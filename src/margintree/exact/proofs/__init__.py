"""Proofs of our own: branch and bound over which row goes to which leaf of which kind of tree."""
