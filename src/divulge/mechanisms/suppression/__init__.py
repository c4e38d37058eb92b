"""Records and cells left out where they would single people out."""

from divulge.mechanisms.suppression.cells import suppress_cells
from divulge.mechanisms.suppression.listed import listed_changes
from divulge.mechanisms.suppression.local import recode_cells
from divulge.mechanisms.suppression.policy_groups import suppress_groups
from divulge.mechanisms.suppression.records import suppress_records

MECHANISMS = (suppress_records, suppress_groups, suppress_cells, recode_cells, listed_changes)
