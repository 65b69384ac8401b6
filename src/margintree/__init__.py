"""Optimal classification trees with maximum-margin splits, with proof when you ask for it."""

__version__ = "0.1.0.dev0"
