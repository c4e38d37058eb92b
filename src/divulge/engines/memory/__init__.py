"""Records held in memory as codes."""
