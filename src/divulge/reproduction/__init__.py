"""Experiments of the papers, repeated: published numbers beside ours, with the reason where they differ."""
