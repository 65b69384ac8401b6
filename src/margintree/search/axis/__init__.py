"""Axis-parallel trees: CART, and the native exact method with its kernels."""
