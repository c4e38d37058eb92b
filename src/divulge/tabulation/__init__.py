"""Published tables: cells at risk, protection, and an attacker who works out what was hidden."""
