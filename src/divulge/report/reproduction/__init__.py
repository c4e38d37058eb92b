"""Experiments of the papers as a page, as Markdown and as text."""
