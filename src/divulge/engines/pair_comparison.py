"""Where pairs of records are compared by Splink: in the cluster that holds them, otherwise in DuckDB."""

from __future__ import annotations

from typing import Any

from divulge.engines.base import Engine
from divulge.limits.libraries import needed

MEMORY = "2GB"  # of DuckDB, beyond which it goes on on disk


def pair_database(engine: Engine) -> tuple[Any, str]:
    """Splink's view of the database that compares pairs, and its name.

    Nothing is downloaded: DuckDB loads no extensions, and on Spark no functions but its own are used.
    """
    needed("splink", "linkage with typing errors", "linkage")
    needed("pyarrow", "linkage with typing errors", "linkage")
    if engine.kind == "spark":
        return _on_spark(engine), "Spark"
    from splink.backends.duckdb import DuckDBAPI

    from divulge.source import duck  # DuckDB is loaded where it is needed

    connection = duck.connect()
    connection.execute(f"SET memory_limit = '{MEMORY}'")
    connection.execute("SET enable_progress_bar = false")
    return DuckDBAPI(connection), "DuckDB"


def _on_spark(engine: Any) -> Any:
    from splink.backends.spark import SparkAPI

    session = engine.source.frame.sparkSession
    return SparkAPI(spark_session=session, break_lineage_method="persist", register_udfs_automatically=False)
