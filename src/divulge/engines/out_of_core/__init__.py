"""Files larger than memory, counted by DuckDB on disk."""
