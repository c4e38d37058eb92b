"""What commands and options are called, were called, and may have been meant."""
