"""What a command says by its exit code."""

PASSED = 0
FAILED = 1  # a check, a self-test or a need failed, or a log is not whole
CANNOT = 2  # what was asked for cannot be read, written or worked out
NOT_EVALUATED = 3  # what was asked for has no value
STOPPED = 130
