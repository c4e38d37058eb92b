"""The mechanism that gives most privacy for its loss, or least loss for its privacy."""
