"""Single cells suppressed instead of whole records: of groups beyond a bound, as few as the policy allows."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from divulge.anonymization.local.levels import Levels, check_local_loss, local_recoding
from divulge.anonymization.local.recoding import LocalRecoding, recoding
from divulge.generalization.encoding import AttributeLevels, GeneralizationTable, Integers
from divulge.generalization.lattice import GeneralizationLattice
from divulge.generalization.losses import LossTables

MOST_TRIED = 60  # transformations whose cells are suppressed in turn


def suppressing_cells(
    lattice: GeneralizationLattice,
    best: Levels,
    mark: str,
    *,
    over: Callable[[], bool] = lambda: False,
) -> list[LocalRecoding]:
    """Transformations with single cells suppressed, the least loss first.

    A cell has two levels, what the transformation makes of it and the mark, so that this is local recoding
    once more. A suppressed cell is a value of its own. Transformations are tried from the least loss
    without suppression on, until that is above the best; the global optimum is always among them.
    """
    check_local_loss(lattice)
    cells = len(lattice.table.attributes) * (lattice.limit / lattice.table.records)
    found = [_with_cells(lattice, best, mark)]
    least = min((one.loss for one in found if _share(lattice, one) <= cells), default=np.inf)
    for tried, (floor, levels) in enumerate(_in_order(lattice)):
        if floor >= least - 1e-12 or tried == MOST_TRIED or over():
            break
        one = _with_cells(lattice, levels, mark)
        found.append(one)
        if _share(lattice, one) <= cells:
            least = min(least, one.loss)
    within = [one for one in found if _share(lattice, one) <= cells]
    return sorted(within, key=lambda one: one.loss)


def suppressed_cells(lattice: GeneralizationLattice, found: LocalRecoding) -> int:
    """How many cells of quasi-identifiers are suppressed, those of suppressed records among them."""
    width = len(lattice.table.attributes)
    starred = np.where(found.suppressed, width, 0 if found.stars is None else found.stars.sum(axis=1))
    return int((starred * lattice.table.sizes).sum())


def records_with_suppressed_cells(lattice: GeneralizationLattice, found: LocalRecoding) -> int:
    """How many records have a suppressed cell."""
    starred = found.suppressed if found.stars is None else found.suppressed | found.stars.any(axis=1)
    return int(lattice.table.sizes[starred].sum())


def _share(lattice: GeneralizationLattice, found: LocalRecoding) -> float:
    """Suppressed cells for each record."""
    return suppressed_cells(lattice, found) / lattice.table.records - 1e-12


def _with_cells(lattice: GeneralizationLattice, levels: Levels, mark: str) -> LocalRecoding:
    """A transformation with cells suppressed so that every group meets the policy."""
    table, owner = _two_levels(lattice.table, levels, mark)
    small = replace(lattice, table=table, costs=_costs(lattice, table, levels), limit=table.records)
    top = tuple(1 for _ in table.shape)
    inside = local_recoding(small, top)
    stars = inside.levels[owner] == 1
    suppressed = inside.suppressed[owner] | stars.all(axis=1)
    return recoding(lattice, np.tile(levels, (len(owner), 1)), suppressed, kind="cells", stars=stars)


def _two_levels(
    table: GeneralizationTable, levels: Levels, mark: str
) -> tuple[GeneralizationTable, Integers]:
    """The classes of a transformation, each attribute as it is there or suppressed; and which each is in."""
    owner = table.merged(levels)
    attributes = tuple(
        _suppressible(one, level, table.records, mark)
        for one, level in zip(table.attributes, levels, strict=True)
    )
    first = np.unique(owner, return_index=True)[1]
    return table.reduced(attributes, owner, [codes[first] for codes in table.codes_at(levels)]), owner


def _suppressible(one: AttributeLevels, level: int, records: int, mark: str) -> AttributeLevels:
    """An attribute with two levels: what it is at a level, and the mark."""
    groups = len(one.leaves[level])
    return replace(
        one,
        codes=np.zeros(0, np.int64),
        groups=(np.arange(groups), np.zeros(groups, np.int64)),
        leaves=(one.leaves[level], np.asarray([one.domain])),
        counts=(one.counts[level], np.asarray([records])),
        names=(one.names[level], (mark,)),
    )


def _costs(lattice: GeneralizationLattice, table: GeneralizationTable, levels: Levels) -> LossTables:
    """What cells cost as they are, and that a suppressed one costs what a suppressed record's does."""
    before = lattice.costs
    costs = {}
    for place, (one, level) in enumerate(zip(lattice.table.attributes, levels, strict=True)):
        totals, rows = before.of_attributes[place]
        everything = totals[level] + float((one.counts[level] * rows[level]).sum())
        costs[one.name] = [totals[level], everything], [rows[level], np.zeros(1)]
    loss = replace(before.loss, of_attribute=lambda one, records: costs[one.name])
    return LossTables(loss, table, before.weights)


def _in_order(lattice: GeneralizationLattice) -> Iterator[tuple[float, Levels]]:
    """Transformations by their loss without suppression, the least first."""
    shape, costs = lattice.table.shape, lattice.costs
    start = tuple(0 for _ in shape)
    waiting, seen = [(costs.floor(start), start)], {start}
    while waiting:
        floor, levels = heapq.heappop(waiting)
        yield floor, levels
        for place, level in enumerate(levels):
            up = (*levels[:place], level + 1, *levels[place + 1 :])
            if level + 1 < shape[place] and up not in seen:
                seen.add(up)
                heapq.heappush(waiting, (costs.floor(up), up))
