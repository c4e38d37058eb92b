"""How an attacker guesses: in sequences, along traces, with a wrong prior."""
