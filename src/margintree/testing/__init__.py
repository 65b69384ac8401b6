"""Slow oracles, standard programs and small instances for tests."""
