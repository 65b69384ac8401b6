"""Proofs for splits on one or two features: the ways to divide the rows are few, so list them."""
