"""Several dependencies of the same records, guarded together."""
