"""Parquet files: dictionaries and plain integers straight to codes, the rest by pyarrow, else by DuckDB."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path

from divulge._support.threads import cached_property
from divulge.errors import DivulgeError, SourceError
from divulge.source import duck
from divulge.source.base import check_asked, check_table, check_width
from divulge.source.beside.unread import Unread
from divulge.source.beside.written_beside import unused_entries, written_beside
from divulge.source.files import DataFile, unreadable_as
from divulge.source.frames.parquet_pages import Chunk, WrittenColumn, read_codes, written_columns
from divulge.source.integers import Span
from divulge.source.options import SourceOptions
from divulge.table.codes import Codes

_CALLED = "a Parquet file"
_SIGNED = {"TINYINT", "SMALLINT", "INTEGER", "BIGINT"}


@dataclass(frozen=True)
class ParquetColumn:
    """What DuckDB calls a column and its type: it numbers names that differ by case only."""

    name: str
    kind: str
    optional: bool = True  # whether values may be missing


@dataclass(frozen=True, eq=False)
class Parquet:
    """A Parquet file: its columns are read when asked for, and only those."""

    path: Path
    name: str
    columns: Mapping[str, ParquetColumn]
    records: int
    written_beside: tuple[Unread, ...] = ()  # about the table, by other programs than its writer
    _unused: dict[str, list[Unread]] = field(default_factory=dict, repr=False)  # entries of dictionaries

    @property
    def unread(self) -> tuple[Unread, ...]:
        """What the file holds beside its values; dictionaries are looked at when columns are read."""
        texts = [name for name, column in self.columns.items() if column.kind == "VARCHAR"]
        if missing := [name for name in texts if name not in self._unused]:
            self.encode(missing)
        return (*self.written_beside, *(one for name in texts for one in self._unused[name]))

    @property
    def attributes(self) -> tuple[str, ...]:
        return tuple(self.columns)

    def encode(self, attributes: Sequence[str]) -> dict[str, Codes]:
        wanted = check_asked(attributes, self.attributes)
        try:
            try:
                codes = self._encoded(wanted, self.spans(wanted))
            except ValueError:  # what the file says of its bounds may not hold
                codes = self._encoded(wanted, self._counted_spans(wanted))
        except (DivulgeError, MemoryError):
            raise
        except Exception as error:  # each reader has errors of its own, and some quote what they read
            raise broken(self.name, error) from None
        for attribute in wanted:
            if self.columns[attribute].kind == "VARCHAR":
                self._unused[attribute] = unused_entries(attribute, codes[attribute])
        return {attribute: codes[attribute] for attribute in wanted}

    def _encoded(self, attributes: Sequence[str], spans: Mapping[str, Span]) -> dict[str, Codes]:
        codes = read_codes(self.path, self.written(attributes, spans), self.records)
        rest = [attribute for attribute in attributes if attribute not in codes]
        return codes | (self._others(rest, spans) if rest else {})

    def spans(self, attributes: Sequence[str]) -> dict[str, Span]:
        """Bounds of the integers, as the file has them written, otherwise by looking at all of them."""
        written = self.stated_spans(attributes)
        return written | self._counted_spans([a for a in attributes if a not in written])

    def stated_spans(self, attributes: Sequence[str]) -> dict[str, Span]:
        """Bounds that the file says; for integers with a sign alone."""
        signed = [a for a in attributes if self.columns[a].kind in _SIGNED]
        bounds = {a: [chunk.bounds for chunk in self._chunks.get(a, ())] for a in signed}
        return {
            a: Span(min(span.low for span in spans if span), max(span.high for span in spans if span))
            for a, spans in bounds.items()
            if spans and all(spans)
        }

    def written(self, attributes: Sequence[str], spans: Mapping[str, Span]) -> dict[str, WrittenColumn]:
        """Of the attributes those integers and texts whose pages can be read straight to codes."""
        kinds = _SIGNED | {"VARCHAR"}
        known = [a for a in attributes if a in self._chunks and self.columns[a].kind in kinds]
        return written_columns(self.path, {a: self._chunks[a] for a in known}, spans, self.records)

    @cached_property
    def _chunks(self) -> dict[str, list[Chunk]]:
        """Where the file has each of its columns, and between which bounds, for every group of its rows."""
        bounds = [
            f"CASE WHEN type IN ('INT32', 'INT64') THEN try_cast({end} AS BIGINT) END"
            for end in ("stats_min_value", "stats_max_value")
        ]
        with duck.shared().cursor() as connection:
            listed = connection.execute(
                "SELECT path_in_schema, row_group_num_rows, num_values, type, compression, "
                "dictionary_page_offset, data_page_offset, total_compressed_size, "
                f"{', '.join(bounds)} FROM parquet_metadata({duck.file_literal(self.path)}) "
                "ORDER BY row_group_id, column_id"
            ).fetchall()
        found: dict[str, list[Chunk]] = {}
        for attribute, records, values, kind, packing, dictionary, begin, size, low, high in listed:
            if attribute not in self.columns or "." in attribute or records != values:
                continue
            parts = found.setdefault(attribute, [])
            first = parts[-1].first + parts[-1].records if parts else 0
            end = (dictionary or begin) + size
            optional = self.columns[attribute].optional
            span = None if low is None or high is None else Span(low, high)
            parts.append(Chunk(first, records, kind, packing, dictionary or None, begin, end, optional, span))
        return {name: parts for name, parts in found.items() if sum(c.records for c in parts) == self.records}

    def _counted_spans(self, attributes: Sequence[str]) -> dict[str, Span]:
        """Bounds of the integers, of which all are read."""
        integers = [a for a in attributes if self.columns[a].kind in duck.INTEGERS]
        if not integers:
            return {}
        names = [duck.quoted(self.columns[a].name) for a in integers]
        ends = ", ".join(f"min({name}), max({name})" for name in names)
        with duck.shared().cursor() as connection:
            found = connection.execute(f"SELECT {ends} FROM {table_of(self.path)}").fetchone()
        pairs = zip(integers, found[::2], found[1::2], strict=True)
        return {attribute: Span(low, high) for attribute, low, high in pairs if low is not None}

    def _others(self, attributes: Sequence[str], spans: Mapping[str, Span]) -> dict[str, Codes]:
        if find_spec("pyarrow"):
            from divulge.source.frames.arrow import read_parquet

            texts = [attribute for attribute in attributes if self.columns[attribute].kind == "VARCHAR"]
            return read_parquet(self.path, attributes, texts, spans, self.records)
        with duck.shared().cursor() as connection:
            table = duck.DuckTable(table_of(self.path, numbered=True), "file_row_number", self.records)
            codes = {}
            for attribute in attributes:
                column = self.columns[attribute]
                name = duck.quoted(column.name)
                codes[attribute] = duck.encode_sql(connection, table, name, attribute, column.kind)
            return codes


def open_parquet(file: DataFile, options: SourceOptions | None = None, called: str = _CALLED) -> Parquet:
    """A Parquet file, of which only the description is read."""
    path, name = file.path, file.name
    place = duck.file_literal(path)
    try:
        with duck.shared().cursor() as connection:
            schema = connection.execute(
                f"SELECT name, num_children, repetition_type FROM parquet_schema({place})"
            ).fetchall()
            [(records,)] = connection.execute(
                f"SELECT num_rows FROM parquet_file_metadata({place})"
            ).fetchall()
            noted = dict(
                connection.execute(f"SELECT key, value FROM parquet_kv_metadata({place})").fetchall()
            )
            top = _top_columns(schema)
            names = [column for column, _ in top]
            check_table(name, names, records)
            check_width(name, len(names))
            described = duck.describe(connection, table_of(path)).items()
    except DivulgeError:
        raise
    except Exception as error:
        raise broken(name, error) from None
    columns = {
        column: ParquetColumn(called, kind, optional)
        for (column, optional), (called, kind) in zip(top, described, strict=True)
    }
    return Parquet(path, name, columns, records, tuple(written_beside(noted)))


def broken(name: str, error: Exception) -> SourceError:
    """The error for a file that starts like Parquet and goes on differently."""
    return unreadable_as(name, _CALLED, error)


def table_of(path: Path, *, numbered: bool = False) -> str:
    options = f"hive_partitioning = false, file_row_number = {numbered}"
    return f"read_parquet({duck.file_literal(path)}, {options})"


def _top_columns(schema: Sequence[tuple[str, int | None, str | None]]) -> list[tuple[str, bool]]:
    """The columns and whether their values may be missing, from a schema as a tree in depth-first order."""
    columns, inside = [], 0
    for name, children, repetition in schema[1:]:
        if not inside:
            columns.append((name, repetition != "REQUIRED"))
        inside = max(0, inside - 1) + (children or 0)
    return columns
