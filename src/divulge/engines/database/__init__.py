"""Tables of a database, counted inside of it."""
