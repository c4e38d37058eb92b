"""Which records of another table a released one may be about."""
