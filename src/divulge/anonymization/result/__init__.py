"""What a search found, for a document: the front, forms of levels, checks before and after, methods."""
