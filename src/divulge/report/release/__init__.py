"""The release simulation as a page and as text."""
