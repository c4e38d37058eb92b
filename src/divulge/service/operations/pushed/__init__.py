"""Checkpoints brought to other places."""
