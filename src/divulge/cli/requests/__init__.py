"""What each command may be asked: its arguments and options are the fields of a request."""
