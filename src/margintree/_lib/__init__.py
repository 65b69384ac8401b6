"""Helpers for any package: array types, safe files, optional packages, repeatable products."""
