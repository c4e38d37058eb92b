"""Parquet files, by the quickest reader at hand: Polars for integers, pyarrow for the rest, else DuckDB."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path

from divulge.errors import DivulgeError, SourceError
from divulge.source import duck
from divulge.source.base import check_asked, check_table, check_width
from divulge.source.files import DataFile, unreadable_as
from divulge.source.integers import Span
from divulge.source.options import SourceOptions
from divulge.table.codes import Codes

# Importing Polars takes as long as pyarrow needs for about so many cells.
_WORTH_POLARS = 50_000_000
_CALLED = "a Parquet file"
_SIGNED = {"TINYINT", "SMALLINT", "INTEGER", "BIGINT"}


@dataclass(frozen=True)
class ParquetColumn:
    """What DuckDB calls a column and its type: it numbers names that differ by case only."""

    name: str
    kind: str


@dataclass(frozen=True, eq=False)
class Parquet:
    """A Parquet file: its columns are read when asked for, and only those."""

    path: Path
    name: str
    columns: Mapping[str, ParquetColumn]
    records: int

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
        return {attribute: codes[attribute] for attribute in wanted}

    def _encoded(self, attributes: Sequence[str], spans: Mapping[str, Span]) -> dict[str, Codes]:
        codes = self._integers(spans)
        rest = [attribute for attribute in attributes if attribute not in codes]
        return codes | (self._others(rest, spans) if rest else {})

    def spans(self, attributes: Sequence[str]) -> dict[str, Span]:
        """Bounds of the integers, as the file has them written, otherwise by looking at all of them."""
        written = self._written_spans(attributes)
        return written | self._counted_spans([a for a in attributes if a not in written])

    def _written_spans(self, attributes: Sequence[str]) -> dict[str, Span]:
        """Bounds that the file says; for integers with a sign alone."""
        signed = [a for a in attributes if self.columns[a].kind in _SIGNED and "." not in a]
        return {a: self._stated_spans[a] for a in signed if a in self._stated_spans} if signed else {}

    @cached_property
    def _stated_spans(self) -> dict[str, Span]:
        """Bounds that the file says for every group of its rows, of all columns, which are read once."""
        with duck.shared().cursor() as connection:
            found = connection.execute(
                "SELECT path_in_schema, min(stats_min_value::BIGINT), max(stats_max_value::BIGINT) "
                f"FROM parquet_metadata({duck.file_literal(self.path)}) "
                "WHERE type IN ('INT32', 'INT64') AND path_in_schema IN (SELECT unnest(?)) GROUP BY ALL "
                "HAVING count(stats_min_value) = count(*) AND count(stats_max_value) = count(*)",
                [[a for a in self.columns if self.columns[a].kind in _SIGNED and "." not in a]],
            ).fetchall()
        return {attribute: Span(low, high) for attribute, low, high in found}

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

    def _integers(self, spans: Mapping[str, Span]) -> dict[str, Codes]:
        """The attributes that Polars reads best, if that is worth its import."""
        dense = {attribute: span for attribute, span in spans.items() if span.is_dense(self.records)}
        worth = "polars" in sys.modules or len(dense) * self.records >= _WORTH_POLARS
        if not (dense and worth and find_spec("polars")):
            return {}
        from divulge.source.frames.polars import read_integers

        return read_integers(self.path, dense, self.records)

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
            schema = connection.execute(f"SELECT name, num_children FROM parquet_schema({place})").fetchall()
            [(records,)] = connection.execute(
                f"SELECT num_rows FROM parquet_file_metadata({place})"
            ).fetchall()
            names = _top_names(schema)
            check_table(name, names, records)
            check_width(name, len(names))
            columns = [ParquetColumn(*pair) for pair in duck.describe(connection, table_of(path)).items()]
    except DivulgeError:
        raise
    except Exception as error:
        raise broken(name, error) from None
    return Parquet(path, name, dict(zip(names, columns, strict=True)), records)


def broken(name: str, error: Exception) -> SourceError:
    """The error for a file that starts like Parquet and goes on differently."""
    return unreadable_as(name, _CALLED, error)


def table_of(path: Path, *, numbered: bool = False) -> str:
    options = f"hive_partitioning = false, file_row_number = {numbered}"
    return f"read_parquet({duck.file_literal(path)}, {options})"


def _top_names(schema: Sequence[tuple[str, int | None]]) -> list[str]:
    """The names of the columns, from a listing of the schema as a tree in depth-first order."""
    names, inside = [], 0
    for name, children in schema[1:]:
        if not inside:
            names.append(name)
        inside = max(0, inside - 1) + (children or 0)
    return names
