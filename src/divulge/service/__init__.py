"""The release controller as a service: durable, audited, and protected by keys."""
