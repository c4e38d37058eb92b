"""A release as a file: one module for each library or form that writes it."""
