"""Axis-parallel trees: CART, and a branch and bound that proves the best one."""
