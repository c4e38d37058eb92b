"""The experiments of the thesis."""

from divulge.reproduction.thesis import identifiers, semantic_rates, utility
from divulge.reproduction.thesis.paper import PAPER

__all__ = ["PAPER", "identifiers", "semantic_rates", "utility"]
