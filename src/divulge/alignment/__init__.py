"""Which columns, rows and values of an original and a release are the same."""
