"""Records and counts that are made up, from trees or under differential privacy."""

from divulge.mechanisms.synthesis.private_counts import private_counts
from divulge.mechanisms.synthesis.private_records import private_records
from divulge.mechanisms.synthesis.trees import synthetic_trees

MECHANISMS = (synthetic_trees, private_counts, private_records)
