"""Codes of Arrow columns, chunk by chunk, so that no more than a chunk is ever held as it came."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from divulge._support.threads import ahead
from divulge.source.base import Columns, check_names, not_a_value
from divulge.source.dictionary import Dictionary
from divulge.source.integers import Span, all_missing
from divulge.table.codes import MISSING, Codes


class Encoder(Protocol):
    """Takes the chunks of one attribute in order, each with the number of its first record."""

    def add(self, chunk: pa.Array, first: int) -> None: ...

    def finish(self) -> Codes: ...


class DenseIntegers:
    """Integers within known bounds, written straight to where they belong, in any order."""

    def __init__(self, span: Span, records: int) -> None:
        self.span = span
        self.filled = span.room(records)

    def add(self, chunk: pa.Array, first: int) -> None:
        missing = None
        if chunk.null_count:
            missing = chunk.is_null().to_numpy(zero_copy_only=False)
            chunk = chunk.fill_null(pa.scalar(self.span.low, chunk.type))
        numbers = chunk.to_numpy()
        if not self.span.contains(numbers):
            raise ValueError("bounds do not hold")
        self.span.fill(self.filled[first : first + len(chunk)], numbers, missing)

    def finish(self) -> Codes:
        return self.span.codes(self.filled)


class Listed:
    """Anything else: each chunk's own dictionary is merged into one, and only narrow codes are kept."""

    def __init__(self, attribute: str) -> None:
        self.dictionary = Dictionary(attribute)
        self.parts: list[npt.NDArray[Any]] = []

    def add(self, chunk: pa.Array, first: int) -> None:
        if not pa.types.is_dictionary(chunk.type):
            try:
                chunk = chunk.dictionary_encode()
            except pa.ArrowNotImplementedError:
                raise not_a_value(self.dictionary.attribute, f"values of type {chunk.type}") from None
        learnt = self.dictionary.codes(python_values(chunk.dictionary))
        table = np.append(learnt, learnt.dtype.type(MISSING))
        indices = chunk.indices
        if indices.null_count:
            indices = indices.cast(pa.int64()).fill_null(len(learnt))
        self.parts.append(np.take(table, indices.to_numpy()))

    def finish(self) -> Codes:
        return self.dictionary.gather(self.parts)


def encoder_for(attribute: str, kind: pa.DataType, span: Span | None, records: int) -> Encoder:
    """The encoder that suits the type; ``span`` is what is known about the bounds of integers."""
    if pa.types.is_integer(kind) and span is not None and span.is_dense(records):
        return DenseIntegers(span, records)
    return Listed(attribute)


def encode_chunks(attribute: str, column: pa.ChunkedArray) -> Codes:
    """Codes of one column that is in memory."""
    if column.null_count == len(column):
        return all_missing(len(column))
    span = None
    if pa.types.is_integer(column.type):
        bounds = pc.min_max(column).as_py()
        span = Span(bounds["min"], bounds["max"])
    encoder = encoder_for(attribute, column.type, span, len(column))
    _add_all(encoder, column, 0)
    return encoder.finish()


def _add_all(encoder: Encoder, column: pa.ChunkedArray, first: int) -> None:
    for chunk in plain_chunks(column.chunks):
        encoder.add(chunk, first)
        first += len(chunk)


def plain_chunks(chunks: Iterable[pa.Array]) -> Iterable[pa.Array]:
    """The chunks without the wrappings that have no dictionaries of their own."""
    for chunk in chunks:
        if isinstance(chunk, pa.ExtensionArray):
            chunk = chunk.storage
        if pa.types.is_run_end_encoded(chunk.type):
            chunk = pc.run_end_decode(chunk)
        if len(chunk):
            yield chunk


def python_values(array: pa.Array) -> list[Any]:
    """The values as Python's own; moments finer than Python's become text or nanoseconds, not one."""
    kind = array.type
    if getattr(kind, "unit", None) == "ns":
        stamp = pa.types.is_timestamp(kind)
        other = pa.duration("us") if pa.types.is_duration(kind) else pa.time64("us")
        try:
            array = array.cast(pa.timestamp("us", kind.tz) if stamp else other)
        except pa.ArrowInvalid:
            array = array.cast(pa.string() if stamp else pa.int64())
    return list(array.to_pylist())


def read_parquet(
    path: Path, attributes: Sequence[str], texts: Sequence[str], spans: Mapping[str, Span], records: int
) -> dict[str, Codes]:
    """Codes of columns of a Parquet file, row group by row group, texts by the file's own dictionaries."""
    with pq.ParquetFile(path, read_dictionary=list(texts)) as file:
        schema, metadata = file.schema_arrow, file.metadata

    sizes = [metadata.row_group(group).num_rows for group in range(metadata.num_row_groups)]
    firsts = [sum(sizes[:group]) for group in range(len(sizes))]
    encoders = {a: encoder_for(a, schema.field(a).type, spans.get(a), records) for a in attributes}
    dense = {a: encoder for a, encoder in encoders.items() if isinstance(encoder, DenseIntegers)}

    def read(group: int) -> pa.Table:
        # A file object serves one thread at a time, so each group has its own.
        with pq.ParquetFile(path, metadata=metadata, read_dictionary=list(texts)) as file:
            block = file.read_row_group(group, columns=list(attributes), use_threads=False)
        for attribute, encoder in dense.items():
            _add_all(encoder, block[attribute], firsts[group])
        return block.drop_columns(list(dense))

    for group, block in enumerate(ahead(read, range(len(sizes)))):
        for attribute in block.column_names:  # dictionaries grow in the order of the file, not of its readers
            _add_all(encoders[attribute], block[attribute], firsts[group])
    return {attribute: encoder.finish() for attribute, encoder in encoders.items()}


def open_arrow(data: Any, name: str = "an Arrow table") -> Columns:
    """A source over a Table, a RecordBatch or a RecordBatchReader, which is read to its end."""
    if isinstance(data, pa.RecordBatchReader):
        data = data.read_all()
    elif isinstance(data, pa.RecordBatch):
        data = pa.Table.from_batches([data])
    names = tuple(data.column_names)
    check_names(name, names)
    return Columns(name, names, data.num_rows, lambda attribute: encode_chunks(attribute, data[attribute]))
