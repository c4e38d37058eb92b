"""What knowing keys says about a sensitive attribute, beyond guessing."""
