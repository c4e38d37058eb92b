"""Requests decided in one transaction: datasets, policies, keys."""
