"""Attacks on synthetic data, each beside the same attack on people who were not used to make them."""
