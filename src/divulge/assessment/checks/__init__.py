"""What a table is held to: one module for each kind of check, and the list of all."""
