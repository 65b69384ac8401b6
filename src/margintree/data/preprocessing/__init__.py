"""Encoding of tables with text, booleans, categories and missing cells as numbers."""

from margintree.data.preprocessing.encoder import TableEncoder
from margintree.data.preprocessing.encoding import (
    BooleanColumn,
    CategoryColumn,
    Column,
    Encoding,
    Feature,
    LeftOut,
    NumberColumn,
)

__all__ = [
    "BooleanColumn",
    "CategoryColumn",
    "Column",
    "Encoding",
    "Feature",
    "LeftOut",
    "NumberColumn",
    "TableEncoder",
]
