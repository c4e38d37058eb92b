"""Records that DuckDB counts within a budget: a view of what is asked, and parts that fit into memory."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from divulge.engines.out_of_core.budget import require_room, spilling
from divulge.engines.out_of_core.file_rows import Rows
from divulge.engines.out_of_core.sampled_sizes import holding
from divulge.engines.out_of_core.session import BudgetedDuckDB, InterruptibleConnection
from divulge.errors import listing
from divulge.source.base import check_asked
from divulge.table.codes import Codes

_FEW = 1 << 16  # combinations that are not worth a look at how many there really are


@dataclass(frozen=True, eq=False)
class OutOfCoreQueries:
    """Records of which some attributes can be asked at a time."""

    name: str
    records: int
    rows: Rows
    session: BudgetedDuckDB

    @property
    def attributes(self) -> tuple[str, ...]:
        return self.rows.attributes

    @contextmanager
    def asking(self, wanted: Sequence[str]) -> Iterator[InterruptibleConnection]:
        """A connection that knows the attributes as columns c0, c1, ... of a view ``asked``."""
        check_asked(wanted, self.attributes)
        with self.session.cursor(self.name) as cursor:
            cursor.execute(f"CREATE TEMP VIEW asked AS {self.rows.select(cursor, wanted)}")
            yield cursor

    def codes(self, cursor: InterruptibleConnection, wanted: Sequence[str], rows: int) -> dict[str, Codes]:
        return {one: self.rows.codes(cursor, f"c{i}", one, rows) for i, one in enumerate(wanted)}

    def most(self, attributes: Sequence[str]) -> int:
        """How many rows of some attributes may be brought over."""
        return self.session.left * self.records // max(1, self.size(attributes, self.records))

    def size(self, attributes: Sequence[str], rows: int, *, counting: bool = True) -> int:
        return holding(rows, [self.rows.sampled(one) for one in attributes], counting=counting)

    def groups(self, cursor: InterruptibleConnection, wanted: Sequence[str], few: int = _FEW) -> float:
        """How many combinations of values there are, about; or where but few are possible, how many."""
        possible = math.prod(map(self.rows.values, wanted))
        if possible <= few:
            return possible
        query = f"SELECT approx_count_distinct(hash({', '.join(columns(wanted))})) FROM asked"
        return float(cursor.execute(query).fetchall()[0][0])

    def parts(
        self, cursor: InterruptibleConnection, keys: Sequence[str], beside: Sequence[str] = (), **given: int
    ) -> list[str]:
        """Conditions that split the records, those alike on keys together, into parts that can be counted.

        An error where the disk has no room for what does not fit into memory.
        """
        names, width = ", ".join(columns(keys)), sum(map(self.rows.width, [*keys, *beside]))
        groups = self.groups(cursor, [*keys, *beside])
        parts, needed = spilling(self.session.budget, self.records, groups, width, **given)
        require_room(self.session.folder, needed, f"Counting {listing(keys, most=6)} of {self.name}")
        return [f"hash({names}) % {parts} = {part}" for part in range(parts)] if parts > 1 else ["true"]


def columns(attributes: Sequence[str]) -> list[str]:
    return [f"c{i}" for i in range(len(attributes))]
