"""All subsets of some attributes, searched at once."""
