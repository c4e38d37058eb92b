"""Guarded queries: counts, sums and means of a table that stays where it is, each decided before it is answered."""
