"""The commands at work: a request in, a page, a document or files out; a file for each command."""
