"""What there is to know: measures, which of them fits, and the papers reproduced."""
