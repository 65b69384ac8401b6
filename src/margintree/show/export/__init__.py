"""Exports of fitted trees for people, programs and databases."""

from margintree.show.export.dot import export_dot
from margintree.show.export.onnx import to_onnx
from margintree.show.export.python import to_python
from margintree.show.export.sql import to_sql
from margintree.show.export.text import export_text

__all__ = ["export_dot", "export_text", "to_onnx", "to_python", "to_sql"]
