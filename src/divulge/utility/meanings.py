"""What released values stand for among the values of the original: groups, bands, or nothing at all."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from divulge.alignment.recognition import recognise
from divulge.table.codes import MISSING, Codes
from divulge.table.hierarchy import Hierarchy
from divulge.utility.numbering import Integers, used

FEWEST = 5  # records of a released value from which on they say what it stands for
Rows = tuple[Integers, Integers]  # the same people in both tables


@dataclass(frozen=True, eq=False)
class Meanings:
    """Codes that only the release has, by what they stand for; both tables count in one list of codes."""

    groups: Mapping[int, Integers]  # codes of the original values that a released one stands for
    nothing: frozenset[int]  # suppressed under another mark, or a group of all values there are
    unknown: frozenset[int]  # neither its spelling nor the aligned records say


def meanings(
    original: Codes, released: Codes, *, hierarchies: Iterable[Hierarchy] = (), rows: Rows | None = None
) -> Meanings:
    """What each value stands for that the release has and the original has not.

    Spelling and hierarchies say it first (20-29, 2*, a group of a hierarchy). Where they do not, aligned
    records may: a value that five records have stands for the original values that became it, if none of
    these became another value of this kind as well. So merged and renamed categories are known, noise is not.
    """
    last = original.cardinality - 1
    fits = recognise(released, original, suppressed=last, hierarchies=hierarchies)
    own = used(original)
    own[[MISSING, last]] = True
    everything = int(own[1:-1].sum())
    groups = {code: found for code, found in fits.codes.items() if not own[code]}
    whole = {code for code, found in groups.items() if len(found) == everything > 1}
    unknown = fits.unknown
    if unknown and rows is not None:
        learned = _learned(original, released, rows, unknown)
        groups |= learned
        unknown -= learned.keys()
    return Meanings(
        {code: found for code, found in groups.items() if code not in whole},
        frozenset(whole | {code for code in fits.anything if not own[code]}),
        frozenset(unknown),
    )


def _learned(original: Codes, released: Codes, rows: Rows, unknown: frozenset[int]) -> dict[int, Integers]:
    """The original values behind unknown ones by the aligned records; none unless each became one only."""
    last = original.cardinality - 1
    ours = original.codes[rows[0]].astype(np.int64)
    theirs = released.codes[rows[1]].astype(np.int64)
    there = np.isin(theirs, list(unknown)) & (ours != MISSING) & (ours != last)
    records = np.bincount(theirs[there], minlength=last + 1)
    became, before = np.divmod(np.unique(theirs[there] * (last + 1) + ours[there]), last + 1)
    if len(np.unique(before)) < len(before):
        return {}
    codes, starts = np.unique(became, return_index=True)
    parts = zip(codes.tolist(), np.split(before, starts[1:]), strict=True)
    return {code: part for code, part in parts if records[code] >= FEWEST}
