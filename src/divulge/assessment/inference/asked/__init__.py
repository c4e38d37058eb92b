"""What is asked about a sensitive attribute: its values, ranges of numbers, parts of texts."""
