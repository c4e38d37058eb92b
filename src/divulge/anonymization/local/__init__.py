"""Local recoding: groups with levels of their own, numbers split where they lie, single cells suppressed."""

from divulge.anonymization.local.accepting import accepted_recoding
from divulge.anonymization.local.cells import (
    records_with_suppressed_cells,
    suppressed_cells,
    suppressing_cells,
)
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
    "records_with_suppressed_cells",
    "released_as",
    "released_codes",
    "suppressed_cells",
    "suppressing_cells",
    "value_mapping",
]
