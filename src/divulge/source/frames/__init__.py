"""Codes of the columns of pandas, Polars, Arrow and NumPy."""
