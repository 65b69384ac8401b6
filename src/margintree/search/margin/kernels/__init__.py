"""Compiled kernels: flat functions on arrays, each with a slow twin in the tests."""
