"""Documents about the making of a release."""
