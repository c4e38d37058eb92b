"""What all pages share: frame, templates, theme, formats and writing to files."""
