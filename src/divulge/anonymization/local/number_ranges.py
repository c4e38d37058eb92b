"""Numbers in ranges of their own: which attributes are numbers, what a range costs, and how it is written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from divulge._compiled.generalization import NumberTables
from divulge.errors import ParameterError
from divulge.generalization.encoding import AttributeLevels, Integers
from divulge.generalization.lattice import GeneralizationLattice
from divulge.table.codes import as_number

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class NumberRanges:
    """The attributes of a table that are numbers, by place: their values in order, and what ranges cost."""

    tables: NumberTables
    ranks: dict[int, Integers]  # of each code among the numbers, -1 where it is none
    texts: dict[int, tuple[str, ...]]  # by rank
    lower: dict[int, Floats]  # by rank
    upper: dict[int, Floats]
    suppressed: dict[int, float]  # what a suppressed cell costs a record, beside a range

    def saved(self, place: int, low: Integers, high: Integers) -> Floats:
        """What a record with these ranges saves of the loss of being suppressed."""
        wide = self.upper[place][high] - self.lower[place][low]
        unit = self.tables.log_unit
        found: Floats = self.suppressed[place] - (np.log2(wide) * unit if unit else wide)
        return found

    def label(self, place: int, low: int, high: int) -> str:
        """A range as it is released: 31-39, or [-1.5, 2] where a dash would be unclear."""
        first, last = self.texts[place][low], self.texts[place][high]
        return f"{first}-{last}" if first.isdigit() and last.isdigit() else f"[{first}, {last}]"

    def of_parts(
        self, lattice: GeneralizationLattice, part_of: Integers
    ) -> dict[int, tuple[Integers, Integers]]:
        """For each attribute the least and the greatest rank in the part of each class; -1 where none."""
        parts = max(int(part_of.max(initial=-1)) + 1, 1)
        inside = part_of >= 0
        found = {}
        for place, ranks in self.ranks.items():
            own = ranks[lattice.table.values(place)]
            low, high = np.full(parts, len(ranks)), np.full(parts, -1)
            np.minimum.at(low, part_of[inside], own[inside])
            np.maximum.at(high, part_of[inside], own[inside])
            found[place] = np.where(inside, low[part_of], -1), np.where(inside, high[part_of], -1)
        return found


def number_ranges(lattice: GeneralizationLattice) -> NumberRanges:
    """The attributes that can be split where their numbers lie, refused where there is none."""
    if lattice.costs.loss.name not in ("granularity", "bits"):
        raise ParameterError(
            f"Ranges of numbers have no loss '{lattice.costs.loss.name}', which is about levels or groups.",
            hint="Choose granularity or bits.",
        )
    fields, records = lattice.table.fields, lattice.table.records
    bits = lattice.costs.loss.name == "bits"
    tables = NumberTables.none(fields)._replace(log_unit=1 / records if bits else 0.0)
    found = NumberRanges(tables, {}, {}, {}, {}, {})
    for place, one in enumerate(lattice.table.attributes):
        numbers = _numbers(one)
        if numbers is None:
            continue
        ordered, rank = np.unique(numbers[~np.isnan(numbers)], return_inverse=True)
        ranks = np.full(len(numbers), -1)
        ranks[~np.isnan(numbers)] = rank
        first = {int(rank): code for code, rank in reversed(list(enumerate(ranks.tolist())))}
        found.ranks[place] = ranks
        found.texts[place] = tuple(str(one.names[0][first[rank]]) for rank in range(len(ordered)))
        if bits:
            times = np.bincount(rank, weights=one.counts[0][~np.isnan(numbers)]).astype(np.float64)
            found.upper[place] = np.cumsum(times, dtype=np.float64)
            found.lower[place] = found.upper[place] - times
            found.suppressed[place] = float(np.log2(records)) / records
        else:
            known = np.asarray([as_number(value) for value in one.values])
            at = np.searchsorted(np.sort(known[~np.isnan(known)]), ordered) / (one.domain - 1) / records
            found.upper[place], found.lower[place] = at, at
            found.suppressed[place] = 1 / records
        start = int(fields.table[place])
        tables.split[place] = 1
        tables.rank[start : start + len(ranks)] = ranks
        for name, by_rank in (("lower", found.lower[place]), ("upper", found.upper[place])):
            getattr(tables, name)[start : start + len(ranks)] = by_rank[ranks]
    if not found.ranks:
        raise ParameterError(
            "No quasi-identifier is a number, so there are no numbers to split.", hint="Use --local."
        )
    return found


def _numbers(one: AttributeLevels) -> Floats | None:
    """The number of each value that occurs, NaN of missing; None where values are not different numbers."""
    names = [name for name in one.names[0] if name is not None]
    numbers = np.asarray([np.nan if name is None else as_number(name) for name in one.names[0]])
    different = len(np.unique(numbers[~np.isnan(numbers)]))
    return None if different < len(names) or different < 2 or _are_codes(names) else numbers


def _are_codes(texts: Sequence[str]) -> bool:
    """Whether numbers are codes, such as postcodes: digits that begin with zeros, or long ones all alike."""
    if not all(text.isdigit() for text in texts):
        return False
    lengths = {len(text) for text in texts}
    return any(text[0] == "0" and text != "0" for text in texts) or (len(lengths) == 1 and min(lengths) > 4)
