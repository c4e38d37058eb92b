"""What a search for the least loss found, as a page, text, Markdown, and in a notebook."""
