"""Counting on a graphics card."""
