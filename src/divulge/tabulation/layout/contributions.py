"""Who contributes how much to each cell of linked tables, margins among them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product

import numpy as np

from divulge.tabulation.layout.linked import Flags, Ints, LinkedTables, Numbers, TableLayout

LARGEST = 8  # contributions of a cell that are kept one by one


@dataclass(frozen=True, eq=False)
class Entries:
    """Contributions one by one: by whom, how much, how often, and in which category of each attribute.

    ``weight`` is for how many alike an entry stands, ``records`` how many records it is, ``people`` how many
    contributors. Entries of one contributor in a cell are one contribution. Where contributors are ``named``
    it is what their records stand for, added up; otherwise each record stands for many contributors alike.
    """

    categories: Mapping[str, Ints]
    contributor: Ints
    amount: Numbers
    weight: Numbers
    records: Ints
    people: Ints
    named: bool = False
    content: Ints | None = None  # a number that stands for all that is in a record, where asked for


@dataclass(frozen=True, eq=False)
class CellFacts:
    """What cells are made of, an entry for each cell.

    ``value`` is the sum, ``gross`` the sum of absolute contributions, ``contributors`` how many there are,
    ``largest`` the absolute contributions that are largest, the first one first, and ``alone`` the one
    contributor of a cell that has no other (-1 otherwise). ``main`` is who has more than half of a cell
    without negative amounts, or is alone in it, and ``main_amount`` what they have. ``mixed`` are the cells
    that a negative amount is in. With weights, a record stands for several contributors alike, as in
    tau-ARGUS, but counts once; a contributor who has a name is one, whatever their records stand for.
    """

    value: Numbers
    gross: Numbers
    records: Ints
    contributors: Ints
    largest: Numbers
    alone: Ints
    main: Ints
    main_amount: Numbers
    mixed: Flags

    @property
    def negative(self) -> bool:
        return bool(self.mixed.any())


def facts(tables: LinkedTables, entries: Entries) -> CellFacts:
    """What every cell is made of; sums do not depend on the order of records."""
    cells = len(tables)
    value, gross = np.zeros(cells), np.zeros(cells)
    records, contributors = np.zeros(cells, np.int64), np.zeros(cells, np.int64)
    largest, alone = np.zeros((cells, LARGEST)), np.full(cells, -1, np.int64)
    main, main_amount = np.full(cells, -1, np.int64), np.zeros(cells)
    mixed = np.zeros(cells, np.bool_)
    for layout in tables.layouts:
        owner, entry = in_cells(layout, entries)
        amount, weight = entries.amount[entry], entries.weight[entry]
        here = np.unique(owner)
        mixed[owner[amount < 0]] = True
        records[here] = _summed(owner, entries.records[entry], cells)[here].astype(np.int64)
        order = np.lexsort((amount, entries.contributor[entry], owner))
        owner, amount, weight = owner[order], amount[order], weight[order]
        who = entries.contributor[entry][order]
        first = np.ones(len(owner), np.bool_)
        first[1:] = (owner[1:] != owner[:-1]) | (who[1:] != who[:-1])
        start = np.flatnonzero(first)
        if not len(start):
            continue
        times = np.diff(np.append(start, len(owner)))
        several = (times > 1) | entries.named
        own = np.add.reduceat(amount * np.where(np.repeat(several, times), weight, 1.0), start)
        stands = np.where(several, 1.0, weight[start])
        people = np.where(several, 1, entries.people[entry][order][start])
        owner, who = owner[start], who[start]
        value[here] = _summed(owner, own * stands, cells)[here]
        gross[here] = _summed(owner, np.abs(own) * stands, cells)[here]
        contributors[here] = _summed(owner, people, cells)[here].astype(np.int64)
        single = contributors[owner] == 1
        alone[owner[single]] = who[single]
        has = own * np.where(people > 1, 1.0, stands)
        most = single | ((has > gross[owner] / 2 * (1 + 1e-9)) & ~mixed[owner])
        main[owner[most]], main_amount[owner[most]] = who[most], has[most]
        _fill_largest(largest, owner, np.abs(own), stands)
    return CellFacts(value, gross, records, contributors, largest, alone, main, main_amount, mixed)


def in_cells(layout: TableLayout, entries: Entries) -> tuple[Ints, Ints]:
    """The cells that each entry is in, margins among them: cells, and which entry it is."""
    ancestors = [one.ancestors for one in layout.dimensions]
    codes = np.stack([entries.categories[one.attribute] for one in layout.dimensions], axis=1)
    kinds, kind = np.unique(codes, axis=0, return_inverse=True)
    kind = kind.reshape(-1)
    held = []
    for row in kinds.tolist():
        above = product(*(chains[code] for chains, code in zip(ancestors, row, strict=True)))
        held.append(layout.cells[tuple(np.asarray(list(above), np.int64).T)])
    sizes = np.asarray([len(one) for one in held], np.int64)
    if not len(kind):
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    return np.concatenate([held[one] for one in kind.tolist()]), np.repeat(np.arange(len(kind)), sizes[kind])


def _summed(owner: Ints, amount: Ints | Numbers, cells: int) -> Numbers:
    """Sums by cell, small amounts first, so that the order of records does not show in the last digit."""
    order = np.lexsort((amount, owner))
    return np.bincount(owner[order], weights=amount[order], minlength=cells).astype(np.float64)


def _fill_largest(largest: Numbers, owner: Ints, size: Numbers, stands: Numbers) -> None:
    """The largest contributions of each cell; one that stands for several alike is there several times."""
    order = np.lexsort((-size, owner))
    owner, size = owner[order], size[order]
    times = np.minimum(np.maximum(np.floor(stands[order] + 1e-9), 1), LARGEST).astype(np.int64)
    owner, size = np.repeat(owner, times), np.repeat(size, times)
    start = np.searchsorted(owner, owner)  # where the entries of the same cell begin
    rank = np.arange(len(owner)) - start
    kept = rank < LARGEST
    largest[owner[kept], rank[kept]] = size[kept]
