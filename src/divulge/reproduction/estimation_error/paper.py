"""The paper on privacy as an attacker's estimation error."""

from __future__ import annotations

from divulge.reproduction.experiment import Paper

PAPER = Paper("estimation", "On the measurement of privacy as an attacker's estimation error", "rebollo2013")
EXACT = 1e-9  # where the paper gives a formula, ours is its value
