"""Texts with typing errors compared over pairs, through Splink."""
