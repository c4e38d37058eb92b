"""Commands that make a release, and say what can be done to a table."""
