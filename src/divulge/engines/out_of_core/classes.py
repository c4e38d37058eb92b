"""Classes that stay on disk: their kinds, sums of their statistics and the worst of them come over."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from divulge.engines.external.table import Aggregates, ClassKinds, Target, WorstClasses
from divulge.engines.out_of_core import sql
from divulge.engines.out_of_core.budget import CELL
from divulge.engines.out_of_core.querying import OutOfCoreQueries, columns
from divulge.engines.out_of_core.session import InterruptibleConnection


class _Margin(NamedTuple):
    """The values of a target in their order, and how many records have each."""

    values: tuple[object, ...]
    records: npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class OutOfCoreClasses(OutOfCoreQueries):
    """Records whose classes are too many to be brought over."""

    def class_kinds(self, keys: Sequence[str], target: Target) -> ClassKinds | None:
        """The kinds of classes that the keys make; None where they are too many for the budget."""
        if target is None:
            return self._sizes(keys)
        assert isinstance(target, str)
        known, most = columns(keys), self.session.left // CELL
        aim = f"c{len(keys)}"
        with self.asking([*keys, target]) as cursor:
            margin = self._margin(cursor, target, aim, most)
            if margin is None:
                return None
            cursor.execute(
                "CREATE TEMP TABLE kinds (mark HUGEINT, size BIGINT, example UBIGINT, times BIGINT)"
            )
            for part in self.parts(cursor, keys):
                cursor.execute(f"INSERT INTO kinds {sql.kinds(known, aim, part)} LIMIT {most + 1}")
            once = "SELECT size, min(example) AS example, sum(times)::BIGINT AS times FROM kinds"
            if cursor.keep(f"{once} GROUP BY mark, size", most) is None:
                return None
            kinds = cursor.execute("SELECT size, times FROM kept").fetchnumpy()
            cursor.execute(  # a table of its own, for joining and grouping at once takes twice the memory
                f"CREATE TEMP TABLE members AS SELECT kept.rowid AS kind, {aim} "
                f"FROM asked JOIN kept ON hash({', '.join(known)}) = example"
            )
            cells = (
                f"SELECT kind, place, count(*) AS records FROM members JOIN margin "
                f"ON {aim} IS NOT DISTINCT FROM value GROUP BY kind, place ORDER BY kind, place"
            )
            rows = cursor.keep(cells, most)
            if rows is None:
                return None
            found = cursor.execute("SELECT kind, place, records FROM kept").fetchnumpy()
        start = np.append(0, np.cumsum(np.bincount(found["kind"], minlength=len(kinds["size"]))))
        if not np.array_equal(np.add.reduceat(found["records"], start[:-1]), kinds["size"]):
            return None  # two classes have one hash, and which of them was meant cannot be told
        told = ClassKinds(found["records"], kinds["times"], start, found["place"], margin.values)
        self.session.hand_out(told, rows * CELL)
        return told

    def aggregates(self, keys: Sequence[str], target: Target) -> Aggregates | None:
        """Sums and extremes of the classes' statistics by size; None if target values are too many."""
        if not isinstance(target, str):
            return None
        with self.asking([*keys, target]) as cursor:
            margin = self._margin(cursor, target, f"c{len(keys)}", self.session.left // CELL)
            if margin is None:
                return None
            for i, query in enumerate(self._statistics(cursor, keys, target, margin)):
                made = "INSERT INTO sums" if i else "CREATE TEMP TABLE sums AS"
                cursor.execute(f"{made} {sql.by_size(query)}")
            return Aggregates(cursor.execute(sql.merged("sums")).fetchnumpy(), margin.values, margin.records)

    def worst(
        self, keys: Sequence[str], target: Target, statistic: str, most: int, *, highest: bool
    ) -> WorstClasses | None:
        """The classes with the lowest or highest of a statistic; of those without a target, of their size."""
        assert not isinstance(target, tuple)
        known = columns(keys)
        aim = None if target is None else f"c{len(keys)}"
        with self.asking([*keys, *([] if target is None else [target])]) as cursor:
            if target is None or aim is None:
                queries = [sql.sizes(known, part) for part in self.parts(cursor, keys)]
            else:
                margin = self._margin(cursor, target, aim, self.session.left // CELL)
                if margin is None:
                    return None
                queries = self._statistics(cursor, keys, target, margin)
            for i, query in enumerate(queries):
                made = "INSERT INTO firsts" if i else "CREATE TEMP TABLE firsts AS"
                cursor.execute(f"{made} {sql.first(query, known, statistic, most, highest=highest)}")
            cells = sql.cells_of_first(known, aim, most, highest=highest)
            rows = cursor.keep(cells, self.session.left // CELL)
            if rows is None:
                return None
            codes = self.codes(cursor, keys, rows)
            found = cursor.execute("SELECT number, place, n FROM kept").fetchnumpy()
        start = np.append(np.flatnonzero(np.diff(found["number"], prepend=0)), rows)
        place = None if target is None else found["place"].astype(np.int64)
        return WorstClasses(codes, start, found["n"], place)

    def _sizes(self, keys: Sequence[str]) -> ClassKinds:
        times: Counter[int] = Counter()
        with self.asking(keys) as cursor:
            for part in self.parts(cursor, keys):
                sizes = sql.sizes(columns(keys), part)
                found = cursor.execute(f"SELECT size, count(*) FROM ({sizes}) GROUP BY size").fetchall()
                times.update(dict(found))
        return ClassKinds(np.array([*times], np.int64), np.array([*times.values()], np.int64))

    def _statistics(
        self, cursor: InterruptibleConnection, keys: Sequence[str], target: str, margin: _Margin
    ) -> list[str]:
        """Queries for classes with their statistics, each for a part of them that fits into memory."""
        aim, values = f"c{len(keys)}", len(margin.values)
        parts = self.parts(cursor, keys, [target], splits=1)
        return [sql.statistics(columns(keys), aim, part, values, self.records) for part in parts]

    def _margin(self, cursor: InterruptibleConnection, target: str, aim: str, most: int) -> _Margin | None:
        """The values of a target, in a table ``margin`` as well; None if they are more than ``most``."""
        ordered = f"SELECT {aim}, count(*) AS times FROM asked GROUP BY {aim} ORDER BY {aim} NULLS FIRST"
        rows = cursor.keep(ordered, most)
        if rows is None:
            return None
        cursor.execute(f"CREATE TEMP TABLE margin AS SELECT {aim} AS value, rowid AS place, times FROM kept")
        records = cursor.execute("SELECT times FROM kept").fetchnumpy()["times"]
        return _Margin(tuple(self.rows.codes(cursor, aim, target, rows).values_of()), records)
