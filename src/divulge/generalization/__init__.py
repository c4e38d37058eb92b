"""A table's groups at every level of generalization, and the search for the levels of least loss."""
