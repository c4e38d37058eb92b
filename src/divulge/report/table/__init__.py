"""Published tables: cells at risk, protection and audit, as text, Markdown and a page."""
