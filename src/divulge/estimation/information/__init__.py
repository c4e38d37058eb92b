"""Entropies, leakage, capacity and bounds, from channels and from samples."""
