"""Reading the encoding of a table from a model file; every entry is checked."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from margintree.data.preprocessing import (
    BooleanColumn,
    CategoryColumn,
    Column,
    Encoding,
    LeftOut,
    NumberColumn,
    TableEncoder,
)
from margintree.data.preprocessing.cells import text_of
from margintree.estimators.modelfile._entries import (
    Reader,
    fail,
    finite,
    list_of,
    mapping,
    natural,
    one_of,
    optional,
    record,
    text,
    truth,
)


def read_encoder(data: Mapping[str, Any]) -> TableEncoder:
    """Return the fitted encoder that the entry ``table`` describes."""
    entries = record(data, _TABLE, "table")
    encoding = Encoding(tuple(entries["columns"]), tuple(entries["left_out"]))
    known = [column.name for column in (*encoding.columns, *encoding.left_out)]
    if len(set(known)) != len(known) or not encoding.columns:
        fail("table.columns and table.left_out must have different names, and one be used.")
    encoder = _unfitted(entries["params"])
    encoder.encoding_ = encoding
    encoder.n_features_in_ = len(known)
    names = entries["names"]
    if names is not None:
        if sorted(names) != sorted(known):
            fail("table.names must name the columns that are used and those that are left out.")
        encoder.feature_names_in_ = np.array(names, dtype=object)
    return encoder


def _unfitted(params: Mapping[str, Any]) -> TableEncoder:
    record(params, _PARAMS, "table.params")
    try:
        encoder = TableEncoder(**params)
        encoder._validate_params()
    except (TypeError, ValueError) as error:
        fail(f"table.params make no sense: {error}", error)
    return encoder


def _column(value: Any, where: str) -> Column:
    data = mapping(value, where)
    cls = _COLUMNS[one_of(_COLUMNS)(data.get("kind"), f"{where}.kind")]
    column = cls(**record(data, _READERS[cls], where))
    if isinstance(column, CategoryColumn):
        _check_levels(column, where)
    elif isinstance(column, BooleanColumn) and column.fill not in (0, 1):
        fail(f"{where}.fill must be 0 or 1 for booleans; it is {column.fill}.")
    if not column.features:
        fail(f"{where} must have a feature; it has none.")
    return column


def _check_levels(column: CategoryColumn, where: str) -> None:
    """Reject levels that no cell can have, repeated levels, and a baseline that is not a level."""
    levels = column.levels
    are_texts = all(level and text_of(level) == level for level in levels)
    if not are_texts or len(set(levels)) != len(levels):
        fail(f"{where}.levels must be different texts of cells, without spaces around them.")
    if column.baseline is not None and column.baseline not in levels:
        fail(f"{where}.baseline must be one of the levels, or null; it is {column.baseline!r:.60}.")


def _left_out(value: Any, where: str) -> LeftOut:
    return LeftOut(**record(mapping(value, where), {"name": text, "reason": text}, where))


def _texts(value: Any, where: str) -> tuple[str, ...]:
    return tuple(list_of(text)(value, where))


_TABLE: dict[str, Reader] = {
    "params": mapping,
    "names": optional(list_of(text)),
    "columns": list_of(_column),
    "left_out": list_of(_left_out),
}
_PARAMS: dict[str, Reader] = {"min_share": finite, "max_levels": natural}
_COLUMNS: dict[str, type[Column]] = {
    cls.kind: cls for cls in (NumberColumn, BooleanColumn, CategoryColumn)
}
_NUMBER: dict[str, Reader] = {"name": text, "marks_missing": truth, "fill": finite}
_READERS: dict[type[Column], dict[str, Reader]] = {
    NumberColumn: _NUMBER,
    BooleanColumn: _NUMBER,
    CategoryColumn: {
        "name": text,
        "marks_missing": truth,
        "levels": _texts,
        "baseline": optional(text),
        "groups_others": truth,
    },
}
