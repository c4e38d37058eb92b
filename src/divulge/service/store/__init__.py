"""The database behind the service: SQLite or PostgreSQL."""
