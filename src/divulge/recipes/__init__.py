"""Recipes: what is done to a table before it is released, as a file says it, and what was done."""
