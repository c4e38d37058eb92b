"""Which role each attribute has: suggested from names and values, with reasons."""
