"""What the log says of records and decisions: keyed digests, and texts in their one spelling."""
