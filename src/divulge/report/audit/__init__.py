"""The audit as a page, as text, Markdown, JUnit and in a notebook."""
