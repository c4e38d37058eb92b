"""Loops in C, called through ctypes and checked here; each has a twin in NumPy or Python where it is used."""
