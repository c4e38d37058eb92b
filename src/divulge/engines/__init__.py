"""Engines count; nothing else does."""
