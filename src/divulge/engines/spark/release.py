"""A release of a table on a cluster: made and written there."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from divulge._support.whole_files import whole_file
from divulge.engines.external.workplace import (
    HeldValues,
    ReceivingWorkplace,
    ReleasedColumn,
    ReleaseDialect,
    ValueMapping,
    values_query,
)
from divulge.engines.spark.querying import asking
from divulge.engines.spark.session import cause
from divulge.engines.spark.sql import literal
from divulge.engines.spark.table import SparkTable
from divulge.errors import DivulgeError, ParameterError, SourceError

_FORMS = (".parquet", ".orc", ".csv")


SPARK = ReleaseDialect(
    digits=lambda text, first: f"CAST(conv(substr(md5({text}), {first}, 13), 16, 10) AS DOUBLE)",
    literal=literal,
    text="STRING",
    number="DOUBLE",
    whole="BIGINT",
    decimal="DECIMAL(38, {})",
    parsed="try_cast({} AS DOUBLE)",
    spelled="format_string('%.{1}f', {0})",
    point="instr({}, '.')",
)


class SparkWorkplace(ReceivingWorkplace):
    """A table on a cluster, and where its release is written: a folder, a table, or a frame."""

    dialect = SPARK

    def __init__(self, table: SparkTable, out: str | None, *, overwrite: bool) -> None:
        super().__init__(table)
        self._table, self._out, self._overwrite = table, out, overwrite
        self._frames: dict[str, Any] = {}
        self._held: dict[str, Any] = {}

    def start(self, key: str | None) -> str:
        drawn_by = "NULL" if key is None else f"c{self.attributes.index(key)}"
        columns = [
            f"{self._table.comparable(name) or f'c{place}'} AS c{place}"
            for place, name in enumerate(self.attributes)
        ]
        return f"SELECT CAST({drawn_by} AS STRING) AS k, {', '.join(columns)} FROM {{table}}"

    def rows(self, query: str) -> list[Any]:
        with asking(self.name):
            return [tuple(row) for row in self._query(query).collect()]

    def values(self, query: str, column: str) -> HeldValues | None:
        from divulge.source.frames.arrow import python_values

        with asking(self.name):
            found = self._query(values_query(query, column, self.most_values)).toArrow()
        if found.num_rows > self.most_values:
            return None
        name = f"v{len(self._held)}"
        self._held[name] = found["value"].combine_chunks()
        return HeldValues(name, python_values(self._held[name]), found["n"].to_numpy())

    def mapping(self, held: HeldValues, mapping: ValueMapping) -> str:
        import pyarrow as pa

        name = f"m{len(self._frames)}"
        rows = pa.table(
            {
                "value": self._held[held.name].take(pa.array(mapping.place)),
                "part": mapping.part,
                "code": mapping.code,
                "low": mapping.low,
                "high": mapping.high,
                "released": pa.array(mapping.released, pa.string()).cast(_type(mapping.kind, mapping.digits)),
            }
        )
        with asking(self.name):
            self._frames[name] = self._table.frame.sparkSession.createDataFrame(rows)
        return f"{{{name}}}"

    def write(self, query: str, columns: Sequence[tuple[str, str]], order: str | None) -> None:
        picked = ", ".join(column for _, column in columns)
        last = f" ORDER BY {order}" if order else ""
        with asking(self.name):
            made = self._query(f"SELECT {picked} FROM ({query}) AS t{last}")
            self.released = made.toDF(*(name for name, _ in columns))
        self._keep()

    def write_columns(self, columns: Sequence[ReleasedColumn]) -> None:
        import pyarrow as pa

        arrays = {one.name: pa.array(one.values, _type(one.kind, one.digits)) for one in columns}
        with asking(self.name):
            self.released = self._table.frame.sparkSession.createDataFrame(pa.table(arrays))
        self._keep()

    def _keep(self) -> None:
        """Write the frame of the release where it is to go."""
        if self._out is not None:
            try:
                self._written(self._out)
            except DivulgeError:
                raise
            except Exception as error:  # its words may hold values
                raise SourceError(
                    f"Spark could not write the release ({cause(error)}).",
                    hint="Check that the disk is not full, and that the cluster may write there.",
                ) from None

    def _written(self, out: str) -> None:
        mode = "overwrite" if self._overwrite else "error"
        if out.startswith("#"):
            with asking(self.name):
                self.released.write.mode(mode).saveAsTable(out[1:])
            return
        if "://" in out:
            self._save(out, mode)
            return
        with whole_file(Path(out)) as made:
            self._save(f"file://{os.path.abspath(made)}", "error")

    def _save(self, place: str, mode: str) -> None:
        writer = self.released.write.mode(mode)
        with asking(self.name):
            if place.lower().endswith(".csv"):
                writer.csv(place, header=True, escape='"')
            else:
                (writer.orc if place.lower().endswith(".orc") else writer.parquet)(place)

    def _query(self, query: str) -> Any:
        used = {name: frame for name, frame in self._frames.items() if f"{{{name}}}" in query}
        return self._table.query(query, **used)


def _type(kind: str, digits: tuple[int, int] | None) -> Any:
    """A type of released values as Arrow calls it."""
    import pyarrow as pa

    kinds = {
        "boolean": pa.bool_(),
        "integer": pa.int64(),
        "float": pa.float64(),
        "date": pa.date32(),
        "moment": pa.timestamp("us"),
        "instant": pa.timestamp("us", "UTC"),
        "binary": pa.binary(),
        "text": pa.string(),
    }
    return pa.decimal128(*digits) if digits else kinds[kind]


@contextmanager
def spark_workplace(table: SparkTable, out: str | None, *, overwrite: bool) -> Iterator[SparkWorkplace]:
    """Where the release of a table on a cluster is made; without a place to write to, it is a frame."""
    if out is not None:
        _refuse(out, table.frame.sparkSession, overwrite=overwrite)
    yield SparkWorkplace(table, out, overwrite=overwrite)


def refuse_form(out: str) -> None:
    """Refuse a folder whose ending says no form that Spark writes."""
    if not out.startswith("#") and not out.lower().endswith(_FORMS):
        raise ParameterError(
            f"Spark writes a release as a folder that ends in {', '.join(_FORMS)}, or as a table.",
            hint="Name a folder, or a table as '#released'.",
        )


def _refuse(out: str, session: Any, *, overwrite: bool) -> None:
    refuse_form(out)
    there = os.path.exists(out) if not out.startswith("#") else session.catalog.tableExists(out[1:])
    if there and not overwrite:
        raise ParameterError(f"{out} is there already.", hint="Name another, or allow it with --overwrite.")
