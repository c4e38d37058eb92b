"""Attacks on values that were changed: counted against the truth where it is given."""
