"""The comparison as a page, as text, Markdown and in a notebook."""
