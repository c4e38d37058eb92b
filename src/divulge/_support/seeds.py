"""Where random numbers begin, so that the same data give the same figures."""

SEED = 20170
