"""A local page on which a person finds the release they can sign: choices in, figures out."""
