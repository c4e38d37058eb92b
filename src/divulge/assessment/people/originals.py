"""The original values behind released records: what somebody may know of the people they are about."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from divulge.alignment.recognition import IntArray
from divulge.alignment.tables import Alignment
from divulge.attacks.linkage.candidates import ANYTHING, SharedAttribute, share


@dataclass(frozen=True, eq=False)
class OriginalValues:
    """Original values, for each released record those of its own person."""

    shared: Mapping[str, SharedAttribute]  # by the names of the release
    row: IntArray  # the original record of each released one

    @classmethod
    def of(cls, alignment: Alignment, keys: Sequence[str], targets: Sequence[str]) -> OriginalValues | None:
        """What is known; None unless every released record is matched and its keys fit its own original.

        Nor is it known where it is not clear what released keys stand for, or where the original has
        suppressed keys itself.
        """
        original, released = alignment.original, alignment.released
        names = {there: here for here, there in alignment.columns.items()}
        if alignment.rows is None or alignment.aligned < released.records or not set(keys) <= names.keys():
            return None
        ours, theirs = alignment.rows
        row = np.zeros(released.records, np.int64)
        row[theirs] = ours
        asked = {names[name]: name for name in (*keys, *targets) if name in names}
        shared = {asked[name]: one for name, one in share(released, original, asked).items()}
        for key in keys:
            if shared[key].fits.unknown or original.suppresses(names[key]):
                return None
            if not shared[key].holds(np.arange(len(row)), row).all():
                return None
        return cls(shared, row)

    def known(self, attribute: str) -> IntArray:
        """The original code of each released record."""
        codes: IntArray = self.shared[attribute].other.codes[self.row].astype(np.int64)
        return codes

    def unsuppressed(self, attribute: str) -> IntArray:
        """The released code of each record; where it is suppressed, one that its original fits, if any."""
        one = self.shared[attribute]
        codes: IntArray = one.released.codes.astype(np.int64)
        hidden = np.flatnonzero(one.layers() == ANYTHING)
        owners = one.owner[:, self.known(attribute)[hidden]]
        found = owners[np.argmax(owners > 0, axis=0), np.arange(len(hidden))]
        codes[hidden] = np.where(found > 0, found - 1, codes[hidden])
        return codes
