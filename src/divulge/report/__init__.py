"""Documents drawn as pages, text, Markdown and views in notebooks; nothing is computed here."""
