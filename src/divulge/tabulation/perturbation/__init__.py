"""Cells that are published with other numbers: rounded, adjusted, by cell key, or with noise."""
