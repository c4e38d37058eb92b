"""The experiments of the ITPR paper: six measures of uneven groups, and seconds by records."""

from divulge.reproduction.itpr import cases, inference, models, reidentification, seconds, variation
from divulge.reproduction.itpr.paper import PAPER

__all__ = ["PAPER", "cases", "inference", "models", "reidentification", "seconds", "variation"]
