"""The experiments on Adult."""
