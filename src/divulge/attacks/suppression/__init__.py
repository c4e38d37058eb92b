"""What suppressed cells leave of what an attacker learns."""
