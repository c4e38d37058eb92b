"""The search where the records are: coarse levels are brought over, others are counted there."""

from divulge.anonymization.in_place.released_there import released_there
from divulge.anonymization.in_place.searching import SearchThere, condensed_or_there

__all__ = ["SearchThere", "condensed_or_there", "released_there"]
