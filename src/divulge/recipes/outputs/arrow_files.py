"""A release as an Arrow table, and as files that pyarrow writes: Parquet, Feather, Arrow and ORC."""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow import orc

from divulge._support.threads import ahead, blocks
from divulge.mechanisms.working_table import WorkingTable
from divulge.recipes.outputs.column_kinds import Kind, decimal_digits, kind_of, occurring
from divulge.recipes.outputs.csv_lines import spelled
from divulge.table.codes import MISSING, Codes

_TYPES: dict[Kind, Any] = {
    "boolean": pa.bool_(),
    "integer": pa.int64(),
    "float": pa.float64(),
    "date": pa.date32(),
    "moment": pa.timestamp("us"),
    "instant": pa.timestamp("us", "UTC"),
    "binary": pa.binary(),
    "text": pa.string(),
}
_ROW_GROUP = 1 << 18  # rows; the next group is made while one is written
# Rows that are written at a time: for each batch the bounds of the values in it are looked for.
_BATCH = 1 << 14


def write_parquet(table: WorkingTable, path: Path) -> None:
    """Write the table as Parquet; values are turned once, and the file has them once."""
    makers = {name: _arrow_maker(column) for name, column in table.columns.items()}
    groups = ahead(
        lambda rows: pa.table({name: make(rows) for name, make in makers.items()}),
        blocks(table.records, _ROW_GROUP),
    )
    first = next(groups)
    texts = (_TYPES["text"], _TYPES["binary"])  # looking for their bounds takes longer than they are worth
    bounded = [one.name for one in first.schema if getattr(one.type, "value_type", None) not in texts]
    with pq.ParquetWriter(
        str(path), first.schema, store_schema=False, write_batch_size=_BATCH, write_statistics=bounded
    ) as writer:
        for group in chain([first], groups):
            writer.write_table(group, _ROW_GROUP)


def write_feather(table: WorkingTable, path: Path) -> None:
    """Write the table as Arrow in a file, which Feather is too."""
    made = arrow_table(table)
    with pa.OSFile(str(path), "wb") as file, pa.ipc.new_file(file, made.schema) as writer:
        writer.write_table(made)


def write_stream(table: WorkingTable, path: Path) -> None:
    """Write the table as a stream of Arrow."""
    made = arrow_table(table)
    with pa.OSFile(str(path), "wb") as file, pa.ipc.new_stream(file, made.schema) as writer:
        writer.write_table(made)


def write_orc(table: WorkingTable, path: Path) -> None:
    """Write the table as ORC."""
    orc.write_table(arrow_table(table), str(path))


def arrow_table(table: WorkingTable) -> Any:
    """The table in Arrow's types."""
    return pa.table({name: arrow_column(column) for name, column in table.columns.items()})


def arrow_column(column: Codes) -> Any:
    """A column in the type that its values have; each value is turned once, however many records have it."""
    found = _arrow_maker(column)(slice(None))
    return found.dictionary_decode() if pa.types.is_dictionary(found.type) else found


def _arrow_maker(column: Codes) -> Callable[[slice], Any]:
    """Makes some rows of a column: numbers that lie close together, or a dictionary and places in it."""
    kind = kind_of(column)
    target = (
        _TYPES[kind] if kind != "decimal" else pa.decimal128(*(decimal_digits(occurring(column)) or (38, 0)))
    )
    if kind == "integer" and isinstance(column.values, range):
        before = column.values.start - 1
        return lambda rows: pa.array(
            column.codes[rows].astype(np.int64) + before, target, mask=column.codes[rows] == MISSING
        )
    used = column.used()
    used = used[used != MISSING]
    values = column.values_of(used)
    listed = pa.array([spelled(one) for one in values] if kind == "text" else values, target)
    places = np.zeros(column.cardinality, np.int32)
    places[used] = np.arange(len(used))
    every = len(used) == len(column.values)

    def made(rows: slice) -> Any:
        codes = column.codes[rows]
        indices = codes - 1 if every else places[codes]  # that of missing is masked, whatever it is
        return pa.DictionaryArray.from_arrays(pa.array(indices, mask=codes == MISSING), listed)

    return made
