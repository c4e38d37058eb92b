"""Databases of earlier versions are brought to this one: a module for each change of the tables."""
