"""The log: entries chained by hashes, checkpoints signed outside the database."""
