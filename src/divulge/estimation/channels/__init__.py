"""What an attacker works with: secrets, observations, distances, and the error that remains."""
