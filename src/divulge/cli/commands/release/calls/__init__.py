"""Questions to a service over HTTP, and what is remembered of its answers."""
