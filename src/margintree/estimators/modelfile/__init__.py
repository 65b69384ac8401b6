"""Fitted classifiers as JSON, without code and checked when read; see ``docs/model-format.md``."""

from margintree.estimators.modelfile._read import from_json, load
from margintree.estimators.modelfile._write import save, to_json

__all__ = ["from_json", "load", "save", "to_json"]
