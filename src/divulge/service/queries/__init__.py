"""Queries of tables that stay where they are, decided and logged as requests for records are."""
