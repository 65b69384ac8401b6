"""Models as JSON: a fitted classifier as text or in a file, checked when it is read.

A model holds data and no code; ``docs/model-format.md`` says what is in it.
"""

from margintree.estimators.modelfile._read import from_json, load
from margintree.estimators.modelfile._write import save, to_json

__all__ = ["from_json", "load", "save", "to_json"]
