"""The search for the release of least loss that meets a policy."""
