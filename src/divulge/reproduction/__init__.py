"""Experiments of the papers, made anew: published numbers beside ours, with the reason where they differ."""
