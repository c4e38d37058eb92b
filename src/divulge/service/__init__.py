"""The release controller as a service: durable, audited, and closed to whoever may not ask."""
