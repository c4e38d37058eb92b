"""Policies: what is demanded of data, written in a `divulge.toml`."""

from divulge.policy.policy import Policy
from divulge.policy.rules import AttributeRule, DataRule
from divulge.policy.thresholds import Threshold, usual

__all__ = ["AttributeRule", "DataRule", "Policy", "Threshold", "usual"]
