"""Records counted where they are: in a database, on disk or on a cluster."""
