"""Which cells are at risk, by which rule, and how wide an attacker's interval has to be."""
