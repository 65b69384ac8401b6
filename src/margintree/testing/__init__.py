"""Importable suites for tests: slow oracles, standard programs, small instances."""
