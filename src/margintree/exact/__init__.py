"""Exact solutions: programs without a solver, the solvers, checkpoints."""
