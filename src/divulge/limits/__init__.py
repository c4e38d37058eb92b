"""What is refused before it begins: files that are no files, and work that would not fit."""
