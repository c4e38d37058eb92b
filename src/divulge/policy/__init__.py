"""Policies: what is demanded of data, written in a `divulge.toml`."""

from divulge.policy.demands import USUAL, Demands, Learning, SinglingOut, usual_thresholds
from divulge.policy.figure_thresholds import FigureThreshold
from divulge.policy.linking import Linking
from divulge.policy.policy import Policy
from divulge.policy.population import MOST_PEOPLE, Population, too_many
from divulge.policy.rules import AttributeRule, DataRule
from divulge.policy.thresholds import Threshold

__all__ = [
    "MOST_PEOPLE",
    "USUAL",
    "AttributeRule",
    "DataRule",
    "Demands",
    "FigureThreshold",
    "Learning",
    "Linking",
    "Policy",
    "Population",
    "SinglingOut",
    "Threshold",
    "too_many",
    "usual_thresholds",
]
