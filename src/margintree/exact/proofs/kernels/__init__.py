"""Compiled parts of the proof engine: arrays in, arrays out."""
