"""CSV and Parquet files larger than memory: counted by DuckDB within a budget, the rest on disk."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from divulge._support.threads import cores
from divulge.engines.base import Summary
from divulge.engines.coded_table import Markers
from divulge.engines.external.table import CountedAs, ExternalTable, JoinKeys, ValueRecoding
from divulge.engines.memory.parquet import counted_groups
from divulge.engines.out_of_core.classes import OutOfCoreClasses
from divulge.engines.out_of_core.file_rows import FileRows
from divulge.engines.out_of_core.querying import columns
from divulge.engines.out_of_core.recoded_rows import Lookup, RecodedRows, place_of
from divulge.errors import SourceError, listing
from divulge.limits.sizes import spelled
from divulge.source.base import Columns, check_asked
from divulge.table.codes import MISSING, Codes

_LARGEST_TABLE = 1 << 22  # cells of a table of all combinations, filled group by group of rows
_SURELY = 1.5  # estimates of how many combinations there are lie closer than this


@dataclass(frozen=True, eq=False)
class OutOfCoreTable(OutOfCoreClasses):
    """A file that is counted on disk; memory holds what was asked for, as far as the budget goes."""

    _marked: dict[tuple[str, str], bool] = field(default_factory=dict, repr=False)

    kind: ClassVar[str] = "out of core"

    def combinations(self, attributes: Sequence[str]) -> tuple[Columns, npt.NDArray[np.int64]] | None:
        """The combinations of values that occur, and how many records have each; None beyond the budget."""
        wanted = check_asked(attributes, self.attributes)
        names, most = ", ".join(columns(wanted)), self.most(wanted)
        counted = self._counted_straight(wanted, most)
        if counted is not None:
            return counted
        with self.asking(wanted) as cursor:
            if self.groups(cursor, wanted, most) > _SURELY * most:
                return None
            rows = cursor.keep(f"SELECT {names}, count(*) AS times FROM asked GROUP BY {names}", most)
            if rows is None:
                return None
            codes = self.codes(cursor, wanted, rows)
            times = cursor.execute("SELECT times FROM kept").fetchnumpy()["times"]
        source = Columns(self.name, tuple(wanted), rows, codes.__getitem__)
        self.session.hand_out(source, self.size(wanted, rows, counting=False))
        return source, times.astype(np.int64)

    def _counted_straight(
        self, wanted: Sequence[str], most: int
    ) -> tuple[Columns, npt.NDArray[np.int64]] | None:
        """The same from pages of a Parquet file, where a table of all there can be is small."""
        if not isinstance(self.rows, FileRows) or self.rows.file is None or not wanted:
            return None
        # Each thread has a table of its own, and their sum takes as much as two.
        cells = min(_LARGEST_TABLE, int(self.session.left / 2) // (4 * cores() + 8))
        try:
            found = counted_groups(self.rows.file, wanted, cells)
        except (OSError, SourceError):  # DuckDB is asked, and says what is wrong
            return None
        if found is None or len(found[1]) > most:
            return None
        self.session.hand_out(found[0], self.size(wanted, len(found[1]), counting=False))
        return found

    def distinct(self, attributes: Sequence[str]) -> int:
        """How many combinations of values occur."""
        wanted = check_asked(attributes, self.attributes)
        names, found = ", ".join(columns(wanted)), 0
        with self.asking(wanted) as cursor:
            for part in self.parts(cursor, wanted):
                query = f"SELECT count(*) FROM (SELECT DISTINCT {names} FROM asked WHERE {part})"
                found += cursor.execute(query).fetchall()[0][0]
        return found

    def summary(self, attribute: str, most: int) -> Summary:
        """How many values an attribute has and on how many records, and some of them, scattered evenly."""
        wanted = check_asked([attribute], self.attributes)
        total, sample = np.zeros(3, np.int64), list[object]()
        with self.asking(wanted) as cursor:
            for part in self.parts(cursor, wanted):
                counted = (
                    f"SELECT c0, count(*) AS times FROM asked WHERE c0 IS NOT NULL AND {part} GROUP BY c0"
                )
                cursor.execute(
                    "CREATE OR REPLACE TEMP TABLE told AS SELECT coalesce(sum(times), 0), count(*), "
                    f"count(*) FILTER (times = 1), min_by(c0, hash(c0), {max(1, most)}) AS some_of_them "
                    f"FROM ({counted})"
                )
                total += cursor.execute("SELECT * EXCLUDE (some_of_them) FROM told").fetchall()[0]
                if not sample and most and total[0]:
                    rows = cursor.keep("SELECT unnest(some_of_them) AS c0 FROM told", most) or 0
                    sample += self.rows.codes(cursor, "c0", attribute, rows).values_of()
        present, distinct, lone = total.tolist()
        return Summary(present, distinct, lone, sample)

    def encode(self, attributes: Sequence[str]) -> dict[str, Codes]:
        """The codes of records, where the budget has room for so many."""
        wanted = check_asked(attributes, self.attributes)
        needed, left = self.size(wanted, self.records), self.session.left
        if needed > left:
            raise SourceError(
                f"Counting {listing(wanted, most=6)} of {self.name} record by record takes about "
                f"{spelled(needed)} of memory; {spelled(left)} of the budget of "
                f"{spelled(self.session.budget.total)} is free.",
                hint="Give a larger budget (--memory), or use fewer or coarser attributes.",
            )
        with self.asking(wanted) as cursor:
            cursor.keep(f"SELECT {', '.join(columns(wanted))} FROM asked ORDER BY r", self.records)
            codes = self.codes(cursor, wanted, self.records)
        for one in wanted:
            self.session.hand_out(codes[one], self.size([one], self.records, counting=False))
        return codes

    # -- fewer records, coarser values -------------------------------------------------------------

    def prepared(
        self,
        recoded: Mapping[str, ValueRecoding],
        *,
        without_missing: Sequence[str] = (),
        suppressed: Mapping[str, str] | None = None,
    ) -> OutOfCoreTable:
        """The same with some values replaced, and without some records.

        Those go whose ``suppressed`` attributes all read as said, and then those that lack a value.
        """
        marks = suppressed if suppressed and self._all_occur(suppressed) else {}
        if not (recoded or without_missing or marks):
            return self
        lookups = {name: self._lookup(name, change) for name, change in recoded.items()}
        rows = RecodedRows(self.rows, lookups, tuple(without_missing), marks)
        found = replace(self, rows=rows, _marked={})
        if not (without_missing or marks):
            return found
        with found.asking([]) as cursor:
            [(records,)] = cursor.execute("SELECT count(*) FROM asked").fetchall()
        return replace(found, records=records)

    def weight_span(self, attribute: str, missing_values: Markers) -> None:
        """Not asked here: records that weigh are brought over, as far as they fit."""

    def counted_as(self, how: CountedAs) -> None:
        """None: people, weights and wildcards are counted from combinations, which come over."""

    def joined(
        self, other: ExternalTable, keys: JoinKeys, columns: tuple[Sequence[str], Sequence[str]]
    ) -> None:
        """None: two files are counted by sessions of their own."""

    def _all_occur(self, marks: Mapping[str, str]) -> bool:
        """Whether every attribute has its mark on some record."""
        unknown = [pair for pair in marks.items() if pair not in self._marked]
        if unknown:
            with self.asking([attribute for attribute, _ in unknown]) as cursor:
                reads = [self.rows.reads(one, f"c{i}", mark) for i, (one, mark) in enumerate(unknown)]
                asked = ", ".join(f"coalesce(bool_or({one or 'false'}), false)" for one in reads)
                [found] = cursor.execute(f"SELECT {asked} FROM asked").fetchall()
            self._marked.update(zip(unknown, found, strict=True))
        return all(self._marked[pair] for pair in marks.items())

    def _lookup(self, attribute: str, recoded: ValueRecoding) -> Lookup:
        """The values of an attribute beside the places of their domains, as a table."""
        table = self.session.new_name()
        with self.asking([attribute]) as cursor:
            rows = cursor.keep("SELECT DISTINCT c0 FROM asked WHERE c0 IS NOT NULL", self.records) or 0
            places = place_of(recoded, self.rows.codes(cursor, "c0", attribute, rows).values_of())
            cursor.execute(
                f"CREATE TABLE {table} AS SELECT c0 AS value, place FROM kept "
                "POSITIONAL JOIN (SELECT unnest(?::INTEGER[]) AS place) WHERE place > 0",
                [places],
            )
            if recoded.places[MISSING] > 0:
                cursor.execute(f"INSERT INTO {table} VALUES (NULL, {recoded.places[MISSING]})")
        return Lookup(table, recoded.domains)
