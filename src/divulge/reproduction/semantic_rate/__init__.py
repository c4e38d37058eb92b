"""The experiments of the paper on the semantic discrimination rate."""

from divulge.reproduction.semantic_rate import models, rates, semantic_rates
from divulge.reproduction.semantic_rate.paper import PAPER

__all__ = ["PAPER", "models", "rates", "semantic_rates"]
