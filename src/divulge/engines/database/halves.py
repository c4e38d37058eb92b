"""A large table of PostgreSQL grouped in two halves at once, over two connections that see the same state.

The server uses one process for rows that are fetched block by block, however many it has for a query.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import numpy.typing as npt
import sqlalchemy as sa

from divulge._support.threads import run
from divulge.engines.memory.cell_tables import added_up
from divulge.source.dictionary import Dictionary
from divulge.table.codes import Codes
from divulge.table.packing import coded, combinations

Groups = tuple[dict[str, Codes], npt.NDArray[np.int64]]  # columns of codes, and how many records each row has

#: Blocks of a table whose rows are found by their block, where a query may have several processes there.
_BLOCKS = sa.text("""
    SELECT pg_relation_size(t.oid) / current_setting('block_size')::int
    FROM pg_catalog.pg_class AS t JOIN pg_catalog.pg_am AS a ON a.oid = t.relam
    WHERE t.oid = to_regclass(:name) AND a.amname = 'heap'
        AND current_setting('server_version_num')::int >= 140000
        AND current_setting('max_parallel_workers_per_gather')::int > 0
""")


def halves(connection: Any, table: Any) -> list[Any] | None:
    """Conditions that part the rows of a table into two halves; None where it is better asked as a whole."""
    name = connection.dialect.identifier_preparer.format_table(table)
    blocks = connection.execute(_BLOCKS, {"name": name}).scalar()
    if not blocks:
        return None
    middle = f"'({blocks // 2},0)'::tid"
    return [sa.literal_column(f"ctid {side} {middle}", sa.Boolean) for side in ("<", ">=")]


def at_once(
    group: Callable[[Any, Any], Groups], connections: tuple[Any, Any], parts: Sequence[Any]
) -> list[Groups]:
    """Group both halves, each over its own connection; the second over the first where its own fails."""
    ours, other = connections
    found: list[Groups | None] = [None, None]

    def grouped(place: int) -> None:
        if place:
            with contextlib.suppress(sa.exc.SQLAlchemyError):
                found[1] = group(other, parts[1])
        else:
            with _ending_with(other):
                found[0] = group(ours, parts[0])

    with _ending_with(other):
        run(grouped, (0, 1))
    return [one or group(ours, part) for one, part in zip(found, parts, strict=True)]


@contextmanager
def _ending_with(other: Any) -> Iterator[None]:
    """What another connection is asked ends with an error or an interrupt here, which would wait for it."""
    try:
        yield
    except BaseException:
        with contextlib.suppress(Exception):  # whatever the driver says of one that is gone
            other.connection.dbapi_connection.cancel()
        raise


def together(names: Sequence[str], parts: Sequence[Groups]) -> Groups:
    """The groups of all parts, those that several of them have once."""
    columns = [_stacked(name, [codes[name] for codes, _ in parts]) for name in names]
    times = np.concatenate([times for _, times in parts])
    first, number = combinations(coded(columns), len(times))
    whole = {name: column.take(first) for name, column in zip(names, columns, strict=True)}
    return whole, added_up(number, times, len(first))


def _stacked(name: str, columns: Sequence[Codes]) -> Codes:
    dictionary = Dictionary(name)
    tables = [dictionary.codes([None, *column.values]) for column in columns]
    return dictionary.gather([table[column.codes] for table, column in zip(tables, columns, strict=True)])
