"""Fitted trees in forms that others can read."""

from margintree.export.text import export_text

__all__ = ["export_text"]
