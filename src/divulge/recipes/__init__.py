"""Recipes: what is done to a table before it is released, as a file says it, and what was done."""

from divulge.recipes.manifest import Manifest
from divulge.recipes.recipe import Recipe
from divulge.recipes.transform import Transformed, transform

__all__ = ["Manifest", "Recipe", "Transformed", "transform"]
