"""Mechanisms: a table in, a less revealing table out."""
