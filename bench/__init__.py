"""Benchmarks: divulge and its peers on the same data, in one run, as ratios."""
