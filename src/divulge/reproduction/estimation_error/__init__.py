"""The experiments of the paper on the attacker's estimation error."""

from divulge.reproduction.estimation_error import guide, scenarios, tables, tradeoff
from divulge.reproduction.estimation_error.paper import PAPER

__all__ = ["PAPER", "guide", "scenarios", "tables", "tradeoff"]
