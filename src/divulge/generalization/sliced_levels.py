"""Levels that leave groups large enough, of many records: judged by a part of them, then counted.

A combination of levels is judged by the records with some values of one attribute that it keeps: all records
of a group have the same value of it, so that groups of the part are whole. What looks able is counted on all
records when it is asked for.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from divulge._compiled import library
from divulge._compiled.counting import below
from divulge._support.threads import ahead, begun_in, cached_property, cores
from divulge.generalization.attribute_levels import AttributeLevels
from divulge.generalization.kept_arrays import KeptArrays
from divulge.generalization.losses import LOSSES
from divulge.table.codes import looked_up, narrow
from divulge.table.packing import packed, told_apart

Levels = tuple[int, ...]
Codes = npt.NDArray[np.unsignedinteger[Any]]
PART = 16  # of the values of an attribute, one in so many is looked at
FEWEST = 6  # values that are looked at
MARGIN = 1.5  # times as many records as may be left out, beyond which a part says that a whole would not do
LARGEST = 1 << 24  # cells of a table of all combinations
WORK = 400_000_000  # records that are looked at in parts, over all combinations


@dataclass(frozen=True, eq=False)
class _Part:
    """The records whose codes of an attribute are chosen, and how many times as many there are."""

    chosen: npt.NDArray[np.bool_] = field(repr=False)  # by code
    times: float


@dataclass(frozen=True, eq=False)
class SlicedLevels:
    """Attributes at their levels, how many records a group has at least, and how many may be left out."""

    attributes: tuple[AttributeLevels, ...]
    records: int = field(repr=False)
    least: int
    limit: int
    _parts: dict[int, _Part] = field(default_factory=dict, repr=False)
    _kept: KeptArrays = field(default_factory=KeptArrays, repr=False)

    @cached_property
    def shape(self) -> Levels:
        """How many levels each attribute has."""
        return tuple(one.height + 1 for one in self.attributes)

    @cached_property
    def _costs(self) -> list[tuple[list[float], list[npt.NDArray[np.float64]]]]:
        """For each attribute what each level costs, and what leaving a record out adds, in bits."""
        of_attribute = LOSSES["bits"].of_attribute
        assert of_attribute is not None
        return [of_attribute(one, self.records) for one in self.attributes]

    def by_loss(self) -> Iterator[tuple[float, float, Levels]]:
        """The combinations that leave few enough records out, by loss: bits, the share left out, and levels.

        They come in the order in which a part of the records has them, set right among neighbours.
        """
        counted, able = list[tuple[float, float, Levels]](), sorted(self.able[0])
        of_all = ahead(lambda one: self._left_out(one[1], None), able)
        for judged, levels in able:
            while counted and counted[0][0] <= judged:
                yield heapq.heappop(counted)
            few, lost = next(of_all)
            if few <= self.limit:
                heapq.heappush(counted, (self._floor(levels) + lost, few / self.records, levels))
        while counted:
            yield heapq.heappop(counted)

    @cached_property
    def able(self) -> tuple[list[tuple[float, Levels]], bool]:
        """The combinations that look able with their losses, and whether all were looked at.

        One is looked at if all coarser ones look able, those of least loss first.
        """
        top = tuple(one - 1 for one in self.shape)
        waiting, able = list[tuple[float, Levels]](), dict[Levels, float]()
        work, judged = 0.0, dict[Levels, Future[tuple[int, float]]]()
        with ThreadPoolExecutor(cores()) as pool:

            def look_at(levels: Levels) -> None:
                part = self._part(levels)
                judged[levels] = begun_in(pool, self._left_out, levels, part)
                heapq.heappush(waiting, (self._floor(levels), levels))

            look_at(top)
            while waiting and work < WORK:
                _, levels = heapq.heappop(waiting)
                part = self._part(levels)
                few, lost = judged[levels].result()
                times = 1.0 if part is None else self._parts[part].times
                work += self.records / times
                if few * times > MARGIN * self.limit:
                    continue
                able[levels] = self._floor(levels) + lost * times
                for finer in _neighbours(levels, -1, self.shape):
                    coarser = _neighbours(finer, 1, self.shape)
                    if finer not in judged and all(one in able for one in coarser):
                        look_at(finer)
            pool.shutdown(wait=False, cancel_futures=True)
        return [(loss, levels) for levels, loss in able.items()], not waiting

    def _floor(self, levels: Levels) -> float:
        return sum(costs[level] for (costs, _), level in zip(self._costs, levels, strict=True))

    def _part(self, levels: Levels) -> int | None:
        """The attribute by whose values a part is taken: that with most groups; None for all records."""
        place = max(range(len(levels)), key=lambda one: len(self.attributes[one].leaves[levels[one]]))
        if levels[place] or len(self.attributes[place].leaves[0]) < 2 * FEWEST:
            return None
        if place not in self._parts:
            self._parts[place] = self._sliced(place)
        return place

    def _sliced(self, place: int) -> _Part:
        """The records with some values of an attribute, spread evenly over common and rare ones."""
        one = self.attributes[place]
        often = one.counts[0]
        step = min(PART, len(often) // FEWEST)
        chosen = np.zeros(len(often), bool)
        chosen[np.argsort(-often, kind="stable")[step // 2 :: step]] = True
        return _Part(chosen[one.place], self.records / max(int(often[chosen].sum()), 1))

    def _left_out(self, levels: Levels, part: int | None) -> tuple[int, float]:
        """How many records are in groups too small, and what they lose beyond their levels."""
        columns, sizes, lost = list[Codes](), list[int](), list[npt.NDArray[np.float64]]()
        for place, (one, level) in enumerate(zip(self.attributes, levels, strict=True)):
            if len(one.leaves[level]) < 2:
                continue
            columns.append(self._at_level(place, level, part))
            sizes.append(len(one.leaves[level]))
            lost.append(np.ascontiguousarray(self._costs[place][1][level]))
        if not columns:
            return 0, 0.0
        times = 1.0 if part is None else self._parts[part].times
        most = int(MARGIN * self.limit / times) + 1 if part is not None else self.limit
        if math.prod(sizes) <= LARGEST and library.built():
            return below(columns, sizes, self.least, most, lost)
        number = told_apart(packed(zip(columns, sizes, strict=True), len(columns[0]))).number
        small = np.bincount(number)[number] < self.least
        return int(np.count_nonzero(small)), sum(
            float(one[codes[small]].sum()) for one, codes in zip(lost, columns, strict=True)
        )

    def _at_level(self, place: int, level: int, part: int | None) -> Codes:
        """The groups of records, or of a part, at a level of an attribute.

        Those of a part are kept for a while only: parts by many attributes are many times the data.
        """
        one = self.attributes[place]
        table = narrow(one.groups[level][one.place], one.width)
        if part is None:
            return looked_up(table, one.codes)
        return self._kept.get((place, level, part), lambda: looked_up(table, one.codes[self._rows(part)]))

    def _rows(self, part: int) -> npt.NDArray[np.int64]:
        """The records of a part."""
        chosen, codes = self._parts[part].chosen, self.attributes[part].codes
        return self._kept.get((part,), lambda: np.flatnonzero(chosen[codes]))


def _neighbours(levels: Levels, step: int, shape: Sequence[int]) -> list[Levels]:
    """The combinations in which one attribute is a level finer (-1) or coarser (1)."""
    return [
        (*levels[:place], level + step, *levels[place + 1 :])
        for place, level in enumerate(levels)
        if 0 <= level + step < shape[place]
    ]
