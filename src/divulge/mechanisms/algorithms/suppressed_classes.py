"""Suppression of cells to classes of at least k, a suppressed cell being a value of its own."""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from divulge.mechanisms.algorithms.suppression_patterns import (
    Patterns,
    class_sizes,
    sets_of,
    suppressed_columns,
)

Array = npt.NDArray[Any]
Released = tuple[int, ...]  # the codes of a class, SUPPRESSED where there is none
SUPPRESSED = -1


def class_patterns(kinds: Array, records: Array, k: int) -> Patterns:
    """What is suppressed of each kind of record so that classes have at least k, and no cell can be put back.

    Sets of keys are tried from none to all. Of equally many keys the set is taken first that brings most of
    the records without a class into one of at least k. Then cells are put back as long as classes allow it.
    """
    width = kinds.shape[1]
    suppressed, left = _greedy(kinds, records, k)
    classes = Classes(k, kinds.tolist())
    done = np.setdiff1d(np.arange(len(kinds)), left)
    columns = suppressed_columns(suppressed[done], width)
    for kind, codes in zip(done.tolist(), np.where(columns, SUPPRESSED, kinds[done]).tolist(), strict=True):
        classes.add(tuple(codes), kind, int(records[kind]))
    if len(left):
        classes.join(left.tolist(), records[left].tolist())
    classes.put_back(width)
    return classes.patterns()


def _greedy(kinds: Array, records: Array, k: int) -> tuple[Array, Array]:
    """The keys suppressed of each kind, as bits, and the kinds that found no class: fewer than k records."""
    suppressed, left = np.zeros(len(kinds), np.int64), np.arange(len(kinds))
    for size in range(kinds.shape[1] + 1):
        # A set brings fewer records into classes the fewer are left, so only the best has to be counted anew.
        waiting = [(-int(records[left].sum()), one) for one in sets_of(size, kinds.shape[1])]
        while waiting and len(left):
            _, one = heapq.heappop(waiting)
            large = class_sizes(kinds[left], records[left], one) >= k
            reached = int(records[left[large]].sum())
            if waiting and (-reached, one) > waiting[0] and reached:
                heapq.heappush(waiting, (-reached, one))
            elif reached:
                suppressed[left[large]] = one
                left = left[~large]
    return suppressed, left


class Classes:
    """Records by what is released of them: for each class how many of each kind; all have at least k."""

    def __init__(self, k: int, kinds: list[list[int]]) -> None:
        self._k, self._kinds = k, kinds
        self._members: dict[Released, dict[int, int]] = defaultdict(lambda: defaultdict(int))
        self._size: dict[Released, int] = defaultdict(int)

    def add(self, released: Released, kind: int, records: int) -> None:
        """Put records of a kind into a class."""
        self._members[released][kind] += records
        self._size[released] += records

    def _move_some(self, kinds: list[int], records: int, before: Released, after: Released) -> None:
        """Move so many records from one class to another, kind after kind."""
        members = self._members[before]
        self._size[before] -= records
        for kind in kinds:
            moved = min(records, members[kind])
            if moved:
                self.add(after, kind, moved)
                members[kind] -= moved
                records -= moved
            if not members[kind]:
                del members[kind]
        if not self._size[before]:
            del self._size[before], self._members[before]

    def join(self, left: list[int], records: list[int]) -> None:
        """Bring fewer than k records into classes that fit them, otherwise into one with some of another."""
        alone = []
        for kind, count in zip(left, records, strict=True):
            fitting = [one for one in self._size if self._common(one, [kind]) == one]
            if fitting:
                self.add(min(fitting, key=lambda one: (one.count(SUPPRESSED), one)), kind, count)
            else:
                alone.append((kind, count))
        if not alone:
            return
        kinds, missing = [kind for kind, _ in alone], self._k - sum(count for _, count in alone)
        donor = min(self._offers(kinds, missing))[-1]
        common = self._common(donor, kinds)
        for kind, count in alone:
            self.add(common, kind, count)
        self._move_some(sorted(self._members[donor]), self._moving(donor, missing), donor, common)

    def _offers(self, kinds: list[int], missing: int) -> Iterator[tuple[int, int, Released]]:
        """For each class the cells it would lose by joining, those it leaves to all, and itself."""
        for released in self._size:
            common = self._common(released, kinds).count(SUPPRESSED)
            lost = (common - released.count(SUPPRESSED)) * self._moving(released, missing)
            yield lost + common * (self._k - missing), common, released

    def _moving(self, released: Released, missing: int) -> int:
        """So many records of a class have to go along: those that are missing, or all where too few stay."""
        size = self._size[released]
        return missing if size - missing >= self._k else size

    def _common(self, released: Released, kinds: list[int]) -> Released:
        """What a class and kinds of records have in common."""
        return tuple(
            code if all(self._kinds[kind][key] == code for kind in kinds) else SUPPRESSED
            for key, code in enumerate(released)
        )

    def put_back(self, width: int) -> None:
        """Put cells back, those of important keys first, until no single one can be."""
        changed = True
        while changed:
            changed = False
            for key in range(width):
                for released in sorted(one for one in self._size if one[key] == SUPPRESSED):
                    changed |= self._put_back(released, key)

    def _put_back(self, released: Released, key: int) -> bool:
        """Put a key back for as many records of a class as can be; whether it was for any."""
        changed = False
        by_code: dict[int, list[int]] = defaultdict(list)
        for kind in sorted(self._members[released]):
            by_code[self._kinds[kind][key]].append(kind)
        for code, kinds in sorted(by_code.items()):
            target = (*released[:key], code, *released[key + 1 :])
            size = self._size[released]
            total = sum(self._members[released][kind] for kind in kinds)
            movable = total if total == size else min(total, size - self._k)
            if movable < (1 if target in self._size else self._k):
                continue
            changed = True
            self._move_some(kinds, movable, released, target)
        return changed

    def patterns(self) -> Patterns:
        """What is suppressed of each kind, and of how many of its records."""
        rows = [
            (kind, sum(1 << i for i, code in enumerate(reversed(released)) if code == SUPPRESSED), count)
            for released, members in self._members.items()
            for kind, count in members.items()
        ]
        return Patterns(*np.array(rows, np.int64).T)
