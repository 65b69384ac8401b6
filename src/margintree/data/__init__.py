"""Data in and out: data sets, tables from files, and columns that become numbers."""
