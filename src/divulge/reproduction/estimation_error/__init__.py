"""The experiments of the paper on the attacker's estimation error."""

from divulge.reproduction.estimation_error import (
    bounds,
    crowds,
    guide,
    scenarios,
    sequences,
    tables,
    tradeoff,
)
from divulge.reproduction.estimation_error.paper import PAPER

__all__ = ["PAPER", "bounds", "crowds", "guide", "scenarios", "sequences", "tables", "tradeoff"]
