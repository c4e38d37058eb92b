"""Whom the sets that tell something are about, each person once, over several sets of keys."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import numpy.typing as npt

from divulge.assessment.inference.asked.sensitive_questions import AskedValues
from divulge.assessment.inference.key_set_findings import FlaggedSets, Told
from divulge.assessment.inference.revealing_groups import Telling
from divulge.assessment.inference.set_members import PlacedSets, placed, rows_in_cells
from divulge.assessment.inference.told_there import people_told
from divulge.assessment.people.people import CodedRows
from divulge.assessment.scope import Scope
from divulge.table.codes import Codes

Flags = npt.NDArray[np.bool_]
FEW_KEYS = 2  # of a key set of which it is remembered whom it tells about


def ways_asked(asked: Sequence[AskedValues], ways: Sequence[Telling]) -> list[AskedValues]:
    """What each way asks: the same once more by weight, and by what people's own records show."""
    return [*asked] * (len(ways) // len(asked))


@dataclass(frozen=True, eq=False)
class ConcernedPeople:
    """The people of a table whose value of a sensitive attribute is told."""

    scope: Scope
    target: str
    column: Codes  # of the target
    asked: Sequence[AskedValues]

    def told(self, found: Sequence[FlaggedSets]) -> Told | None:
        found = [one for one in found if one.any]
        if not found:
            return None
        fewest = min(found, key=lambda one: len(one.keys))
        people = np.concatenate([one.people[flag] for one, flag in fewest.pairs])
        shares = np.concatenate([one.overall[flag] for one, flag in fewest.pairs])
        owner = np.concatenate([one.owner[flag] for one, flag in fewest.pairs])
        times = np.concatenate([one.times[flag] for one, flag in fewest.pairs])
        sets = int(times[np.unique(owner, return_index=True)[1]].sum())
        values = np.concatenate([one.value[flag] for one, flag in fewest.pairs])
        having, several = float(np.average(shares, weights=people)), np.unique(values).size > 1
        everyone, rows = self._union(found)
        everyone = min(everyone, self.scope.people)  # where missing values fit any, groups overlap
        alone = len(found) == 1 or self._union([fewest])[0] == everyone
        by_weight = not any(flag.any() for one, flag in fewest.pairs if not one.by_weight)
        each = tuple((one.keys, one.least) for one in found)
        by_way = zip(ways_asked(self.asked, fewest.ways), fewest.flags, strict=True)
        kinds = {(asked.kind, asked.known) for asked, flag in by_way if flag.any()}
        kind = next(one for one in ("value", "range", "part") if one in {kind for kind, _ in kinds})
        known = all(known for _, known in kinds)
        return Told(everyone, sets, fewest.keys, having, several, alone, by_weight, rows, each, kind, known)

    def _union(self, found: Sequence[FlaggedSets]) -> tuple[int, Flags | None]:
        """The people concerned, each once, and their rows; without rows, as many as the worst key set has."""
        rows = self.scope.rows
        if self.scope.people_there is not None:
            return people_told(self.scope, self.target, self.column, self.asked, found), None
        if rows is None:
            return max(max(int(way.people[flag].sum()) for way, flag in one.pairs) for one in found), None
        hit = np.zeros(rows.data.source.records, bool)
        for one in found:
            hit |= self._rows(rows, one)
        return rows.having(hit), hit

    def _rows(self, rows: CodedRows, one: FlaggedSets) -> Flags:
        """The rows of the people about whom a key set tells; of few keys remembered for other changes."""
        if one.rows is not None:
            return np.unpackbits(one.rows, count=rows.data.source.records).view(bool)
        if len(one.keys) > FEW_KEYS:
            return self._in_sets(rows, one)
        told = [
            (asked, *pair) for asked, pair in zip(ways_asked(self.asked, one.ways), one.pairs, strict=True)
        ]
        hit = rows_in_cells(rows, one.keys, self.target, [each for each in told if each[2].any()])
        hit = self._in_sets(rows, one) if hit is None else hit
        one.rows = np.packbits(hit)
        return hit

    def _in_sets(self, rows: CodedRows, one: FlaggedSets) -> Flags:
        shared: PlacedSets | None = None
        own = rows.own(self.target)
        hit = np.zeros(len(own), bool)
        for asked, (way, flag) in zip(ways_asked(self.asked, one.ways), one.pairs, strict=True):
            if not flag.any():
                continue
            owner, value = way.owner[flag], way.value[flag]
            if asked.by_two:
                banded = value < asked.bands
                owner = np.concatenate([owner, owner[banded]])
                value = np.concatenate([value, value[banded] + 1])
            if way.placed is None and shared is None:
                shared = placed(rows, one.keys, self.target, lone=way.lone)
            sets = way.placed or shared
            assert sets is not None
            holding = partial(sets.holding_within, asked) if asked.limit else sets.holding
            told = holding(owner, value, asked.numbered(own))
            if way.about is not None:
                told[sets.chosen] &= way.about
            hit |= told
        return hit
