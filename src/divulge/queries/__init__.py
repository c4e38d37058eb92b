"""Guarded queries: counts, sums and means of a table, each decided before it is answered."""
