"""Compiled kernels: flat functions, arrays in, arrays out, each with a slow twin in the tests."""
