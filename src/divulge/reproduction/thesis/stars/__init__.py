"""The star tables: which measure handles what."""
