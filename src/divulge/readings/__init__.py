"""Measures' values on data, with what chance alone would give."""
