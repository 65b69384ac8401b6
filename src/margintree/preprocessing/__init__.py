"""Tables as people keep them become numbers: text, booleans, categories and missing cells."""

from margintree.preprocessing.columns import (
    BooleanColumn,
    CategoryColumn,
    Column,
    Feature,
    NumberColumn,
)
from margintree.preprocessing.encoder import TableEncoder
from margintree.preprocessing.encoding import Encoding, LeftOut

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
