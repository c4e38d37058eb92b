"""People beyond the table: what it is a sample of, and what is known of who is unique there."""
