"""Tables as people keep them become numbers: text, booleans, categories and missing cells."""

from margintree.data.preprocessing.columns import (
    BooleanColumn,
    CategoryColumn,
    Column,
    Feature,
    NumberColumn,
)
from margintree.data.preprocessing.encoder import TableEncoder
from margintree.data.preprocessing.encoding import Encoding, LeftOut

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
