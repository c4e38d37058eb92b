"""Which engine counts what: files and frames in memory or on disk, tables in their database or cluster."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import replace
from importlib.util import find_spec
from typing import Any, cast

import numpy as np

from divulge.engines.base import Engine
from divulge.engines.external.counting_place import CountingPlace
from divulge.engines.external.engine import ExternalEngine
from divulge.engines.external.table import ExternalTable
from divulge.engines.external.workplace import MOST_CELLS, Workplace
from divulge.engines.memory.engine import MemoryEngine
from divulge.errors import MissingLibrary, SourceError
from divulge.source.base import Columns, Source, check_names
from divulge.source.options import OPTIONS, SourceOptions

_ACCEPTED = (
    "Give a path to a file; a pandas, Polars, Arrow, cuDF, DuckDB or Spark object; a SQLAlchemy "
    "engine or connection, a database URL or a DuckDB connection with table=...; or a dictionary of columns."
)


def open_source(data: object, options: SourceOptions | None = None, **given: Any) -> Source:
    """A source over whatever holds the records; one that is a source already comes back as it is.

    What may be said of it are :class:`SourceOptions`, together or each by its name. A table may also be named
    at the end of a database's URL, after #.

    >>> open_source({"age": [30, 30, None], "city": ["Oslo", "Rome", "Rome"]}).attributes
    ('age', 'city')
    """
    options = SourceOptions(**given) if options is None else options
    if options.engine == "gpu":
        return _open_for_card(data, options)
    if options.anatomy is not None:
        from divulge.source.anatomy import join_anatomy

        alone = replace(options, anatomy=None)
        return join_anatomy(open_source(data, alone), open_source(options.anatomy, alone.only("file")))
    family, kind = _recognised(data)
    if not family and isinstance(data, Source):  # a Spark frame has every attribute: it takes it for a column
        return data
    table, engine, master, memory = options.table, options.engine, options.master, options.memory
    written = options.given("file")
    if engine == "spark" and family in {"file", "url"}:
        _refuse_for_spark(table=table, memory=memory, **written)
        if data == "-":
            raise SourceError(
                "Spark reads files and tables, not standard input.", hint="Leave out the engine."
            )
        return _open_spark(os.fspath(cast("str | os.PathLike[str]", data)), master)
    _check_engine(engine, master, family)
    if family != "file" and written:
        option = OPTIONS[next(iter(written))]
        raise SourceError(f"{option.flag} can be given for {option.only} only.")
    if family != "file" and memory is not None:
        raise SourceError("A memory budget can be given for a CSV or Parquet file only.")
    if family == "file":
        return _open_file(os.fspath(cast("str | os.PathLike[str]", data)), options)
    if table is not None and family not in {"url", "sqlalchemy"} and kind != "DuckDBPyConnection":
        raise SourceError("A table can be named for a database only.", hint="Leave out table=...")
    if family in {"url", "sqlalchemy"}:
        _require("a database", "sqlalchemy", "database")
        from divulge.engines.database import opening as database

        if family == "sqlalchemy":
            return database.open_database(data, table)
        url, _, named = str(data).partition("#") if table is None else (str(data), "", "")
        return database.open_url(url, table or named or None)
    if family == "cudf":
        from divulge.source.frames.arrow import open_arrow

        return open_arrow(cast("Any", data).to_arrow(preserve_index=False), "a cuDF frame")
    if family == "pandas":
        from divulge.source.frames.pandas import open_pandas

        return open_pandas(data)
    if family == "polars":
        from divulge.source.frames.polars import open_polars

        return open_polars(data)
    if family == "pyarrow":
        from divulge.source.frames.arrow import open_arrow

        return open_arrow(data)
    if family == "pyspark":
        _require("a Spark frame", "pyarrow", "spark")
        from divulge.engines.spark.opening import open_frame

        return open_frame(data)
    if family == "duckdb":
        from divulge.source import relation

        return relation.open_table(data, table) if "Connection" in kind else relation.open_relation(data)
    if isinstance(data, Mapping):
        return _open_columns(data)
    kind = type(data).__qualname__
    article = "An" if kind[0] in "aeiouAEIOU" else "A"
    raise SourceError(f"{article} {kind} cannot be read as a table.", hint=_ACCEPTED)


def is_table(data: object) -> bool:
    """Whether something can be read as a table, and is no column of one."""
    return isinstance(data, Source | Mapping) or bool(_recognised(data)[0])


_KINDS = {
    "pandas": {"DataFrame"},
    "polars": {"DataFrame", "LazyFrame"},
    "pyarrow": {"Table", "RecordBatch", "RecordBatchReader"},
    "duckdb": {"DuckDBPyRelation", "DuckDBPyConnection"},
    "sqlalchemy": {"Engine", "Connection"},
    "pyspark": {"DataFrame"},
    "cudf": {"DataFrame"},
}


ENGINES = {
    "local": "a file or a table in memory",
    "gpu": "a file or a table in memory",
    "database": "a database URL",
    "spark": "a path or a table",
}


_ELSEWHERE = {"url": "database", "sqlalchemy": "database", "pyspark": "spark"}


def _check_engine(engine: str | None, master: str | None, family: str) -> None:
    """An engine that was asked for by name is the one for data of this family."""
    here = _ELSEWHERE.get(family, "local")
    if engine is not None and engine != here:
        raise SourceError(
            f"The engine '{engine}' is for {ENGINES[engine]}, and these data are counted by '{here}'.",
            hint="Leave the engine out: it is chosen by the data.",
        )
    if master is not None:
        raise SourceError("--master needs the engine 'spark'.", hint="Add --engine spark.")


def _open_for_card(data: object, options: SourceOptions) -> Source:
    """A source that is counted on a graphics card, which is looked for before anything is read."""
    from divulge.engines.gpu.frames import open_columns, open_frame
    from divulge.engines.gpu.opening import count_on, find_card

    if options.memory is not None:
        raise SourceError(
            "A memory budget cannot be given with the engine 'gpu'.", hint="Leave out one of the two."
        )
    family, _ = _recognised(data)
    if family in _ELSEWHERE:
        _check_engine("gpu", options.master, family)
    card = find_card()
    if family == "cudf":
        return count_on(open_frame(data, card), card)
    if not family and isinstance(data, Mapping) and (there := open_columns(data, card)) is not None:
        return count_on(there, card)
    return count_on(open_source(data, replace(options, engine=None)), card)


def _refuse_for_spark(**given: object) -> None:
    named = [name for name, value in given.items() if value is not None]
    if named:
        raise SourceError(
            f"'{named[0]}' cannot be given with the engine 'spark'.",
            hint="Give a path or a table of Spark.",
        )


def _open_spark(place: str, master: str | None) -> Source:
    from divulge.engines.spark.opening import open_spark

    remote = master is not None and master.startswith("sc://")
    return open_spark(place, **{"remote" if remote else "master": master})


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


def _open_file(given: str, options: SourceOptions) -> Source:
    from divulge.source.formats.opening import open_path

    if options.memory is None:
        return open_path(given, options)
    from divulge.engines.out_of_core.opening import open_file

    return open_path(given, options, open_file)


def _open_columns(data: Mapping[Any, Any]) -> Source:
    from divulge.source.dictionary import encode_objects
    from divulge.source.frames.numpy import encode_array

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


def times_of(source: Source) -> Any:
    """How many records each row of a source stands for; None where each is one."""
    return getattr(source, "times", None)


def engine_for(source: Source, like: Source | None = None) -> Engine:
    """The engine that counts the records of a source; one that was made of another is counted as that is."""
    times = times_of(source)
    if times is not None:  # rows of which each stands for many records
        return MemoryEngine(source, times)
    card = sys.modules.get("divulge.engines.gpu.opening")  # loaded with the first source for a card
    if card is not None and (found := card.gpu_engine(source, like)) is not None:
        return cast("Engine", found)
    if isinstance(source, ExternalTable):
        return ExternalEngine(source)
    reader = sys.modules.get("divulge.source.parquet")  # loaded with the first such file, and DuckDB with it
    if reader is not None and isinstance(source, reader.Parquet):
        from divulge.engines.memory.parquet import ParquetEngine

        return ParquetEngine(source)
    return MemoryEngine(source)


def refuse_spark_folder(out: str) -> None:
    """Refuse a folder that Spark could not write a release to, before Spark is started."""
    from divulge.engines.spark.release import refuse_form

    refuse_form(out)


def workplace_for(
    source: Source, out: str | None, *, overwrite: bool = False
) -> AbstractContextManager[Workplace] | None:
    """Where a release of a source is made without bringing its records over; None where they are at hand.

    ``out`` is a file, or a table after #. None as well where it is a file and the records are in a database.
    """
    if not isinstance(source, ExternalTable):
        return None
    if source.kind == "out of core":
        from divulge.engines.out_of_core.release import file_workplace

        return None if out is None else file_workplace(cast("Any", source), out)
    if source.kind == "spark":
        from divulge.engines.spark.release import spark_workplace

        return spark_workplace(cast("Any", source), out, overwrite=overwrite)
    if out is None or not out.startswith("#"):
        return None
    from divulge.engines.database.release import database_workplace

    return database_workplace(cast("Any", source), out[1:], overwrite=overwrite)


def counting_place(source: Source) -> CountingPlace:
    """Where a table in a database or on a cluster is counted query by query; to be closed in the end."""
    if cast("Any", source).kind == "spark":
        from divulge.engines.spark.counting import SparkCounting

        return SparkCounting(cast("Any", source))
    from divulge.engines.database.counting import DatabaseCounting

    return DatabaseCounting(cast("Any", source))


def may_be_brought_over(source: Source) -> bool:
    """Whether all records of a source that are elsewhere can come over, for steps that need them together."""
    within = source.records * len(source.attributes) <= MOST_CELLS
    return is_elsewhere(source) and within and cast("Any", source).kind != "out of core"


def is_elsewhere(source: Source) -> bool:
    """Whether the records of a source are not at hand, so that all of them would have to be brought over."""
    return isinstance(source, ExternalTable)
