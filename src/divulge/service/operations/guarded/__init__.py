"""Logs of guarded tables: held to their tables, and decided again."""
