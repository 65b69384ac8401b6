"""Tables from files: CSV of any common kind, and Parquet."""

from margintree.data.tables.reading import read_table
from margintree.data.tables.table import Table, csv_text

__all__ = ["Table", "csv_text", "read_table"]
