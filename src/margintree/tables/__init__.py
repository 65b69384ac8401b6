"""Tables from files: CSV of any common kind, and Parquet."""

from margintree.tables.reading import read_table
from margintree.tables.table import Table
from margintree.tables.writing import csv_text

__all__ = ["Table", "csv_text", "read_table"]
