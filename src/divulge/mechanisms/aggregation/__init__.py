"""Records put into groups that share their values."""

from divulge.mechanisms.aggregation.anatomy import anatomy
from divulge.mechanisms.aggregation.microaggregation import microaggregation

MECHANISMS = (microaggregation, anatomy)
