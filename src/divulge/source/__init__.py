"""Where records come from: files, frames and tables, all handed over as codes."""

from __future__ import annotations

import os
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any, cast

import numpy as np

from divulge.errors import MissingLibrary, SourceError
from divulge.source.base import Columns, Source, check_names

__all__ = ["Source", "open_source"]

_ACCEPTED = (
    "Give a path to a CSV or Parquet file; a pandas, Polars, Arrow or DuckDB object; a SQLAlchemy engine or "
    "connection, a database URL or a DuckDB connection with table=...; or a dictionary of columns."
)


def open_source(
    data: object,
    *,
    table: str | None = None,
    separator: str | None = None,
    quote: str | None = None,
    encoding: str | None = None,
) -> Source:
    """A source over whatever holds the records; one that is a source already comes back as it is.

    ``table`` names a table where ``data`` is a database; ``separator``, ``quote`` and ``encoding``
    describe a CSV file where its beginning would mislead.

    >>> open_source({"age": [30, 30, None], "city": ["Oslo", "Rome", "Rome"]}).attributes
    ('age', 'city')
    """
    if isinstance(data, Source):
        return data
    written = {"separator": separator, "quote": quote, "encoding": encoding}
    family, kind = _recognised(data)
    if family != "file" and any(option is not None for option in written.values()):
        raise SourceError("A separator, a quote or an encoding can be named for a CSV file only.")
    if table is not None and family not in {"url", "sqlalchemy"} and kind != "DuckDBPyConnection":
        raise SourceError("A table can be named for a database only.", hint="Leave out table=...")
    if family == "file":
        return _open_file(Path(cast("str | os.PathLike[str]", data)).expanduser(), written)
    if family in {"url", "sqlalchemy"}:
        _require("a database", "sqlalchemy", "database")
        from divulge.source import database

        return database.open_url(str(data), table) if family == "url" else database.open_database(data, table)
    if family == "pandas":
        from divulge.source._pandas import open_pandas

        return open_pandas(data)
    if family == "polars":
        from divulge.source._polars import open_polars

        return open_polars(data)
    if family == "pyarrow":
        from divulge.source._arrow import open_arrow

        return open_arrow(data)
    if family == "duckdb":
        from divulge.source import relation

        return relation.open_table(data, table) if "Connection" in kind else relation.open_relation(data)
    if isinstance(data, Mapping):
        return _open_columns(data)
    raise SourceError(f"A {type(data).__qualname__} cannot be read as a table.", hint=_ACCEPTED)


_KINDS = {
    "pandas": {"DataFrame"},
    "polars": {"DataFrame", "LazyFrame"},
    "pyarrow": {"Table", "RecordBatch", "RecordBatchReader"},
    "duckdb": {"DuckDBPyRelation", "DuckDBPyConnection"},
    "sqlalchemy": {"Engine", "Connection"},
}


def _recognised(data: object) -> tuple[str, str]:
    """The library an object comes from and its class there, told by names so that nothing is imported."""
    if isinstance(data, str | os.PathLike):
        return ("url" if isinstance(data, str) and "://" in data else "file"), "path"
    for kind in type(data).__mro__:
        family = kind.__module__.partition(".")[0].lstrip("_")
        if kind.__name__ in _KINDS.get(family, ()):
            return family, kind.__name__
    return "", type(data).__name__


def _require(what: str, package: str, extra: str) -> None:
    if find_spec(package) is None:
        raise MissingLibrary(what, package, extra)


def _open_file(path: Path, written: Mapping[str, str | None]) -> Source:
    from divulge.source.files import is_parquet, read_head, refuse_binary

    head = read_head(path)
    if is_parquet(path, head):
        from divulge.source.parquet import open_parquet

        return open_parquet(path)
    from divulge.source.text import open_text

    if written["encoding"] is None:
        refuse_binary(path.name, head)
    return open_text(path, head, **written)


def _open_columns(data: Mapping[Any, Any]) -> Source:
    from divulge.source._numpy import encode_array
    from divulge.source.dictionary import encode_objects

    name = "a dictionary of columns"
    names = tuple(map(str, data))
    check_names(name, names)
    columns = dict(zip(names, data.values(), strict=True))
    for attribute, column in columns.items():
        if isinstance(column, str | bytes) or not hasattr(column, "__len__"):
            raise SourceError(f"The attribute '{attribute}' is one value, not a column of them.")
    lengths = {len(column) for column in columns.values()}
    if len(lengths) > 1:
        raise SourceError(f"The columns of {name} differ in length: {sorted(lengths)}.")

    def encoder(attribute: str) -> Any:
        column = columns[attribute]
        if isinstance(column, np.ndarray):
            return encode_array(attribute, column)
        return encode_objects(attribute, column.tolist() if hasattr(column, "tolist") else list(column))

    return Columns(name, names, lengths.pop(), encoder)
