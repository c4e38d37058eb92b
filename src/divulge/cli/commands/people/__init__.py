"""Commands about single people: who is unique, and whose record can be linked."""
