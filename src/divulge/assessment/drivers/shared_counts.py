"""Small subsets of attributes whose combinations are too many to fetch, from counts that subsets share.

A grouped count of six attributes holds all 41 subsets of up to three of them. So a few sets of attributes
whose combinations are few cover all small subsets, and each set is counted and searched once.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import combinations

from divulge._support.stages import Stage, Steps
from divulge.assessment.scope import Scope
from divulge.counting.counts import RECORD
from divulge.engines.lattice import search as lattice
from divulge.engines.lattice.search import Lattice
from divulge.questions.question import Question

CELLS = 20_000_000  # rows times attributes that are fetched at once
WORTH = 4  # records for each cell that is worth fetching, in place of another count of all records
FEWEST = 1_000_000  # cells that always are
COVERED = 600  # subsets that are read so, at most


@dataclass(frozen=True)
class Shared:
    """What is found of one subset: its classes, the smallest, those of one record, and rates by target."""

    classes: int
    k: int
    unique: int = field(repr=False)
    rates: dict[str, tuple[float, float]] = field(default_factory=dict)


def largest_size(attributes: int) -> int:
    """The size up to which all subsets are read.

    >>> largest_size(12), largest_size(30)
    (3, 2)
    """
    size = 1
    while size < attributes and lattice.subsets(attributes, size + 1) <= COVERED:
        size += 1
    return size


Places = tuple[int, ...]


def cover(
    values: Sequence[int], largest: int, most: int, worth: int | None = None
) -> tuple[list[Places], list[Places]]:
    """Sets of attributes that hold all subsets up to a size, and the subsets that are too many on their own.

    ``values`` says how many each attribute has; no set has more than ``most`` possible cells. Sets grow by
    the attribute that covers most subsets for its values, as long as they have no more than ``worth`` cells:
    beyond that, fetching them takes longer than to count again.

    >>> cover([2, 3, 4, 5], 2, 60 * 4)
    ([(0, 1, 3), (0, 2, 3), (1, 2)], [])
    >>> cover([2, 3, 1000], 1, 100)
    ([(0, 1)], [(2,)])
    """
    sizes = range(1, largest + 1)
    wanted = {one for size in sizes for one in combinations(range(len(values)), size)}
    sets: list[Places] = []
    alone: list[Places] = []
    while wanted:
        chosen = max(wanted, key=lambda one: (len(one), _cells(one, values), one))
        if _cells(chosen, values) > most:
            alone.append(chosen)
            wanted.discard(chosen)
            continue
        while (more := _further(chosen, values, worth or most, wanted, largest)) is not None:
            chosen = tuple(sorted((*chosen, more)))
        wanted -= {one for size in sizes for one in combinations(chosen, size)}
        sets.append(chosen)
    return sorted(sets), sorted(alone)


def _further(
    chosen: Places, values: Sequence[int], most: int, wanted: set[Places], largest: int
) -> int | None:
    """The attribute that lets a set cover most further subsets for its values; None if there is none."""
    gains: dict[int, float] = {}
    for i in range(len(values)):
        if i not in chosen and _cells((*chosen, i), values) <= most:
            size = min(len(chosen) + 1, largest)
            new = [tuple(sorted((*some, i))) for some in combinations(chosen, size - 1)]
            gains[i] = sum(one in wanted for one in new) / math.log2(values[i] + 1)
    best = max(gains, key=lambda i: (gains[i], -values[i]), default=None)
    return None if best is None or not gains[best] else best


def _cells(chosen: Sequence[int], values: Sequence[int]) -> int:
    """How many cells the combinations of some attributes may take: rows times attributes."""
    return math.prod(values[i] for i in chosen) * (len(chosen) + 1)


def shared_counts(
    scope: Scope, stage: Stage, most_alone: int
) -> tuple[dict[int, Shared], list[Places]] | None:
    """What is found of small subsets, by mask, and those that have to be counted one by one.

    All subsets up to a size are among the two, at most so many one by one. None where combinations were
    more than they seemed.
    """
    attributes = scope.keys
    values = [scope.question([key]).counts.classes for key in attributes]
    targets = [name for name in scope.sensitive if scope.question([attributes[0]], name).counts.entropy > 0]
    wide = {name: scope.data.frequencies(name)[0].cardinality for name in targets} or {RECORD: 1}
    worth = min(CELLS, max(scope.data.records // WORTH, FEWEST))
    for size in range(largest_size(len(attributes)), 0, -1):
        plans = {name: cover(values, size, CELLS // more, worth // more) for name, more in wide.items()}
        alone = sorted({one for _, some in plans.values() for one in some})
        if len(alone) <= most_alone:
            break
    pairs = [(name, chosen) for name, (sets, _) in plans.items() for chosen in sets]
    found: dict[int, Shared] = {}
    for name, chosen in Steps(stage, len(pairs)).each(pairs):
        part = _searched(scope, [attributes[i] for i in chosen], name, size)
        if part is None:
            return None
        _add(found, part, chosen, name)
    for one in alone:  # of one target they may have been few
        found.pop(_mask(one), None)
    return found, alone


def _searched(scope: Scope, keys: Sequence[str], target: str, size: int) -> Lattice | None:
    """All small subsets of a set of attributes, from its combinations; None where these are too many."""
    aimed = [] if target == RECORD else [target]
    held = scope.data.at_hand([*keys, *aimed], passing=True)
    if held is None:
        return None
    used = {name: part for name, part in scope.partitions.items() if name in (*keys, *aimed)}
    question = Question(held, tuple(keys), (target,), used)
    return lattice.search(
        [question.column(key) for key in keys],
        targets=[question.column(name) for name in aimed],
        largest=size,
        times=question.times,
    )


def _add(found: dict[int, Shared], part: Lattice, chosen: Sequence[int], target: str) -> None:
    """Put what a set of attributes says of its subsets beside what others said."""
    about = {RECORD: None} if target == RECORD else {RECORD: None, target: 0}
    rates = {name: (part.discrimination_rate(i), part.itpr(i)) for name, i in about.items()}
    for place, mask in enumerate(part.masks.tolist()):
        whole = _mask([chosen[i] for i in range(len(chosen)) if mask >> i & 1])
        line = found.setdefault(
            whole, Shared(int(part.classes[place]), int(part.least[place]), int(part.unique[place]))
        )
        line.rates.update({name: (float(a[place]), float(b[place])) for name, (a, b) in rates.items()})


def _mask(places: Sequence[int]) -> int:
    return sum(1 << place for place in places)
