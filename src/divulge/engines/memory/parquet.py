"""A Parquet file with millions of records: which combinations of values occur, where they are few."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from divulge._compiled.counting import MOST_ROWS, histogram
from divulge._support.threads import cores, run, shares
from divulge.engines.base import Request
from divulge.engines.coded_table import NONE
from divulge.engines.memory.engine import MemoryEngine
from divulge.source import duck
from divulge.source.base import Columns, check_asked
from divulge.source.dictionary import encode_objects
from divulge.source.frames.parquet_pages import PageReader
from divulge.source.parquet import Parquet, broken, table_of
from divulge.table.codes import Codes, narrow

CONDENSED = 1 << 22  # records from which combinations are asked for instead of columns
AT_ONCE = 16  # attributes of which combinations may be few
# How many records at the beginning are looked at, and the share of them that may be different.
_BEGINNING = 1 << 15
_FEW = 0.5
_MOST = 1_000_000
_LARGEST_TABLE = 1 << 20  # cells of a table that is filled group by group of rows
ROW = "file_row_number"  # what DuckDB calls the number of a record in a Parquet file


@dataclass(frozen=True, eq=False)
class ParquetEngine(MemoryEngine):
    """Columns of a Parquet file, or its combinations of values where these are few."""

    def condensed(self, request: Request) -> MemoryEngine:
        file, wanted, conventions = self.source, request.attributes, request.conventions
        if not isinstance(file, Parquet) or file.records < CONDENSED or len(wanted) > AT_ONCE:
            return self
        if conventions.weights is not None or conventions.identifiers:
            return self
        if any((name, NONE) in self._columns for name in wanted):
            return self
        memo = self.memo("combinations")
        if wanted not in memo:
            found = combinations(file, wanted)
            memo[wanted] = None if found is None else MemoryEngine(*found)
        engine: MemoryEngine | None = memo[wanted]
        return self if engine is None else engine


def combinations(file: Parquet, attributes: Sequence[str]) -> tuple[Columns, npt.NDArray[np.int64]] | None:
    """The combinations of values that occur, and how many records have each.

    None where there are more than a few, as far as the beginning of the file can tell: then reading
    the columns is quicker, and holding them costs no more than holding the combinations.
    """
    wanted = check_asked(attributes, file.attributes)
    if any(
        file.columns[attribute].kind not in duck.INTEGERS | {"VARCHAR", "BOOLEAN"} for attribute in wanted
    ):
        return None
    counted = counted_groups(file, wanted)
    if counted is not None:
        return counted
    names = ", ".join(duck.quoted(file.columns[attribute].name) for attribute in wanted)
    table = table_of(file.path)
    try:
        with duck.shared().cursor() as connection:
            [(few,)] = connection.execute(
                f"SELECT count(*) FROM (SELECT DISTINCT {names} FROM ({_beginning(file)}))"
            ).fetchall()
            if few > _FEW * min(file.records, _BEGINNING):
                return None
            grouped = f"SELECT {names}, count(*) FROM {table} GROUP BY {names} ORDER BY ALL"
            found = connection.execute(grouped).fetchmany(_MOST + 1)
    except Exception as error:  # its own words may quote what it read
        raise broken(file.name, error) from None
    if len(found) > _MOST:  # a file in the order of its values shows few of them at its beginning
        return None
    *columns, times = zip(*found, strict=True)
    by_name = dict(zip(wanted, columns, strict=True))
    source = Columns(file.name, tuple(wanted), len(times), lambda name: encode_objects(name, by_name[name]))
    return source, np.asarray(times, dtype=np.int64)


def counted_groups(
    file: Parquet, wanted: Sequence[str], largest: int | None = None
) -> tuple[Columns, npt.NDArray[np.int64]] | None:
    """The combinations counted group by group of the file's rows, in a table of all that there can be.

    None where there can be more than ``largest``, or something in the file is not read straight to codes.
    """
    if any(file.columns[one].kind not in duck.INTEGERS | {"VARCHAR", "BOOLEAN"} for one in wanted):
        return None
    columns = file.written(wanted, file.stated_spans(wanted))
    if len(columns) < len(wanted) or file.records >= MOST_ROWS:
        return None
    written = [columns[attribute] for attribute in wanted]
    sizes = [len(column.values) + 1 for column in written]
    cells, groups = math.prod(sizes), len(written[0].parts)
    most = _LARGEST_TABLE if largest is None else largest
    if cells > most or any(len(column.parts) != groups for column in written):
        return None
    threads = min(cores(), groups)
    tables = np.zeros((threads, cells), np.uint32)
    known = [True] * threads

    def work(part: slice, thread: int) -> None:
        reader = PageReader(file.path)
        for group in range(part.start, part.stop):
            records = written[0].parts[group][0].records
            codes = [np.empty(records, column.kind) for column in written]
            for column, room in zip(written, codes, strict=True):
                known[thread] &= reader.fill(column.parts[group], room)
            if not known[thread]:
                return
            *keys, last = codes
            if keys:
                histogram(_numbers(keys, sizes), last, sizes[-1], tables[thread])
            else:
                histogram(last, None, 1, tables[thread])

    try:
        run(work, shares(groups, threads), range(threads))
    except OSError as error:
        raise broken(file.name, error) from None
    if not all(known):
        return None
    table = tables.sum(axis=0, dtype=np.int64)
    occurring = np.flatnonzero(table)
    found = {
        attribute: Codes(narrow(code, size - 1), column.values)
        for attribute, code, size, column in zip(
            wanted, np.unravel_index(occurring, sizes), sizes, written, strict=True
        )
    }
    return Columns(file.name, tuple(wanted), len(occurring), found.__getitem__), table[occurring]


def _numbers(codes: Sequence[npt.NDArray[Any]], sizes: Sequence[int]) -> npt.NDArray[Any]:
    """One number for the codes of several columns, row by row."""
    if len(codes) == 1:
        return codes[0]
    numbers = codes[0].astype(np.uint32)
    for code, size in zip(codes[1:], sizes[1:], strict=False):
        numbers *= np.uint32(size)
        numbers += code
    return numbers


def _beginning(file: Parquet) -> str:
    """The first records; by their numbers they are found in half the time, unless a column is called so."""
    if ROW in (column.name.lower() for column in file.columns.values()):
        return f"SELECT * FROM {table_of(file.path)} LIMIT {_BEGINNING}"
    return f"SELECT * FROM {table_of(file.path, numbered=True)} WHERE {ROW} < {_BEGINNING}"
