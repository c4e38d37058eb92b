"""Where pairs of records are compared by Splink: in the cluster that holds them, otherwise in DuckDB."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Any

from divulge.engines.base import Engine
from divulge.limits.libraries import needed

MEMORY = "2GB"  # of DuckDB, beyond which it goes on on disk


@contextmanager
def pair_database(engine: Engine) -> Iterator[tuple[Any, str]]:
    """Splink's view of the database that compares pairs, and its name; what was made there goes at the end.

    Nothing is downloaded: DuckDB loads no extensions, and on Spark no functions but its own are used.
    """
    for package in ("splink", "pyarrow"):
        needed(package, "linkage with typing errors", "linkage")
    with _on_spark(engine) if engine.kind == "spark" else _in_memory() as found:
        yield found


@contextmanager
def _in_memory() -> Iterator[tuple[Any, str]]:
    from splink.backends.duckdb import DuckDBAPI

    from divulge.source import duck  # DuckDB is loaded where it is needed

    with closing(duck.connect()) as connection:
        connection.execute(f"SET memory_limit = '{MEMORY}'")
        connection.execute("SET enable_progress_bar = false")
        yield DuckDBAPI(connection), "DuckDB"


@contextmanager
def _on_spark(engine: Any) -> Iterator[tuple[Any, str]]:
    from splink.backends.spark import SparkAPI

    from divulge.engines.spark.session import unheard

    session = engine.source.frame.sparkSession
    with unheard():
        database = SparkAPI(
            spark_session=session, break_lineage_method="persist", register_udfs_automatically=False
        )
        yield database, "Spark"
