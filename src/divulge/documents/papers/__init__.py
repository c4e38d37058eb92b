"""Documents about the papers."""
