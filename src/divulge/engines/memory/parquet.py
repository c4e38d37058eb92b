"""A Parquet file with millions of records: DuckDB says which combinations occur, if they are few."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from divulge.engines.base import Request
from divulge.engines.coded_table import NONE
from divulge.engines.memory.engine import MemoryEngine
from divulge.source import duck
from divulge.source.base import Columns, check_asked
from divulge.source.dictionary import encode_objects
from divulge.source.parquet import Parquet, broken, table_of

CONDENSED = 1 << 22  # records from which combinations are asked for instead of columns
AT_ONCE = 16  # attributes of which combinations may be few
# How many records at the beginning are looked at, and the share of them that may be different.
_BEGINNING = 1 << 15
_FEW = 0.5
_MOST = 1_000_000
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
            memo[wanted] = self if found is None else MemoryEngine(*found)
        engine: MemoryEngine = memo[wanted]
        return engine


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


def _beginning(file: Parquet) -> str:
    """The first records; by their numbers they are found in half the time, unless a column is called so."""
    if ROW in (column.name.lower() for column in file.columns.values()):
        return f"SELECT * FROM {table_of(file.path)} LIMIT {_BEGINNING}"
    return f"SELECT * FROM {table_of(file.path, numbered=True)} WHERE {ROW} < {_BEGINNING}"
