"""The attacker commands: a channel, a table, a system, a trace, the best mechanism, and models."""
