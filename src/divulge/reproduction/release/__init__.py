"""The experiments of the paper on safe release."""

from divulge.reproduction.release import anytime, distributions, evolutions, examples, outliers, simulations
from divulge.reproduction.release.paper import PAPER

__all__ = ["PAPER", "anytime", "distributions", "evolutions", "examples", "outliers", "simulations"]
