"""Local recoding: groups with levels of their own, numbers split where they lie, single cells suppressed."""

from divulge.anonymization.local.accepting import accepted_recoding
from divulge.anonymization.local.cells import suppressed_cells, suppressing_cells
from divulge.anonymization.local.levels import local_recoding, local_recodings
from divulge.anonymization.local.recoding import (
    LocalKind,
    LocalRecoding,
    released_as,
    released_codes,
    value_mapping,
)

__all__ = [
    "LocalKind",
    "LocalRecoding",
    "accepted_recoding",
    "local_recoding",
    "local_recodings",
    "released_as",
    "released_codes",
    "suppressed_cells",
    "suppressing_cells",
    "value_mapping",
]
