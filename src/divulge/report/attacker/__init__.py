"""The account of an attacker's remaining error as a page."""
