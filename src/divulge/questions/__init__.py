"""Data with roles and conventions, and the questions that engines count."""
