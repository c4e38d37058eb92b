"""Spark itself: started or found, and made to read a file or a table."""

from __future__ import annotations

import logging
import os
import shutil
import signal
import subprocess
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from socket import create_connection
from threading import current_thread, main_thread
from typing import Any
from urllib.parse import urlsplit

from divulge.errors import MissingLibrary, MissingSource, SourceError
from divulge.source.dialect import NEGATIVE_ZERO, detect
from divulge.source.files import names_table
from divulge.source.options import SourceOptions
from divulge.source.relation import unknown_table

_JAVA = "Spark 4 needs Java 17 or newer: on Debian install default-jre-headless, or set JAVA_HOME."
_TEXT = {".csv", ".tsv", ".txt"}
_HEAD = 1000  # lines that tell how a CSV file is written


def started(master: str | None = None, remote: str | None = None) -> Any:
    """The session that runs already, or a new one: behind a Connect address, or with a master of its own."""
    for package in ("pyspark", "pyarrow"):
        if find_spec(package) is None:
            raise MissingLibrary("a table with Spark", package, "spark")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # what it says of other libraries at its import
        return _classic(master) if remote is None else _connected(remote)


def _connected(remote: str) -> Any:
    from pyspark.sql import SparkSession

    try:
        _knock(remote, 15002)
        return SparkSession.builder.remote(remote).getOrCreate()
    except ImportError as error:
        raise MissingLibrary("a table by Spark Connect", error.name or "pyspark[connect]", "spark") from None
    except Exception as error:
        raise SourceError(
            f"Spark cannot be reached ({cause(error)}).",
            hint="A Spark Connect address looks like sc://host:15002.",
        ) from None


def _knock(address: str, usual: int) -> None:
    """Fail at once where nobody answers: Spark itself would try for a minute and more."""
    parts = urlsplit(address)
    create_connection((parts.hostname, parts.port or usual), timeout=20).close()


def _classic(master: str | None) -> Any:
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

    context = SparkContext._active_spark_context
    if context is None:
        context = _launched(master)
    elif master not in (None, context.master):
        raise SourceError(
            f"Spark runs already with the master {context.master}, and a process has one.",
            hint="Stop it first, or leave out the master.",
        )
    try:
        return SparkSession.builder.getOrCreate()
    except Exception as error:
        raise _not_started(error) from None


def _launched(master: str | None) -> Any:
    """A Spark of our own, its log kept off the screen: it may quote records."""
    from pyspark import SparkConf, SparkContext
    from pyspark.java_gateway import launch_gateway

    home = os.environ.get("JAVA_HOME")
    if shutil.which(f"{home}/bin/java" if home else "java") is None:
        raise SourceError("Spark cannot be started: there is no Java here.", hint=_JAVA)
    if master is None and "PYSPARK_GATEWAY_PORT" not in os.environ:  # spark-submit says it elsewhere
        master = "local[*]"
    conf = SparkConf(loadDefaults=False)
    settings = {"app.name": "divulge", "ui.enabled": "false", "log.level": "ERROR"}
    settings |= {"master": master} if master is not None else {}
    if master is not None and master.startswith("local"):
        settings |= {"driver.host": "127.0.0.1", "driver.bindAddress": "127.0.0.1"}
        settings |= {"driver.memory": f"{_memory() // 4}m", "sql.warehouse.dir": tempfile.gettempdir()}
    conf.setAll([(f"spark.{name}", value) for name, value in settings.items()])
    try:
        if master is not None and master.startswith("spark://") and "," not in master:
            _knock(master, 7077)
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        with _own_interrupts():
            return SparkContext(conf=conf, gateway=launch_gateway(conf, quiet))
    except Exception as error:
        raise _not_started(error) from None


@contextmanager
def _own_interrupts() -> Iterator[None]:
    """Ctrl-C goes on meaning what it meant: Spark's own handler asks Spark in the middle of an answer."""
    if current_thread() is not main_thread():
        yield
        return
    before = signal.getsignal(signal.SIGINT)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _not_started(error: Exception) -> SourceError:
    hint = "Check the master: local[2], spark://host:7077, yarn or k8s://https://host:443."
    return SourceError(f"Spark cannot be started ({cause(error)}).", hint=f"{hint} {_JAVA}")


def _memory() -> int:
    """The megabytes of memory of this machine; four thousand where that is not known."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") >> 20
    except (AttributeError, ValueError):
        return 4096


@contextmanager
def unheard() -> Iterator[None]:
    """Keeps PySpark's own loggers silent: they write the words of errors, which may quote records."""
    from pyspark.logger import PySparkLogger

    loggers = [PySparkLogger.getLogger(f"{way}QueryContextLogger") for way in ("SQL", "DataFrame")]
    before = [logger.disabled for logger in loggers]
    for logger in loggers:
        logger.disabled = True
    logging.getLogger().addFilter(_not_of_py4j)  # it writes to the root logger when it is interrupted
    try:
        yield
    finally:
        logging.getLogger().removeFilter(_not_of_py4j)
        for logger, disabled in zip(loggers, before, strict=True):
            logger.disabled = disabled


def _not_of_py4j(record: logging.LogRecord) -> bool:
    return "py4j" not in record.pathname


def cause(error: Exception) -> str:
    """What Spark reported, by its name: its own words may quote records or passwords."""
    java = getattr(error, "java_exception", None)
    kind = type(error).__name__ if java is None else java.getClass().getSimpleName()
    return str(getattr(error, "getCondition", lambda: None)() or kind)


# -- files and tables ----------------------------------------------------------------------------


def frame_of(place: str, master: str | None, remote: str | None) -> tuple[Any, str, tuple[str, ...]]:
    """What Spark reads at a path, or a table it knows; what to call it; and the names of its columns."""
    session = started(master, remote)
    with unheard():
        return _found(session, place)


def _found(session: Any, place: str) -> tuple[Any, str, tuple[str, ...]]:
    path = os.path.expanduser(place)
    ending = Path(path.removesuffix(".gz")).suffix.lower()
    if names_table(path) and not os.path.exists(path):
        return _table(session, place)
    name = Path(path).name
    try:
        if ending in _TEXT:
            return _csv(session, path, name)
        frame = session.read.orc(path) if ending == ".orc" else session.read.parquet(path)
        return frame, name, tuple(frame.columns)
    except Exception as error:
        raise _unreadable(path, name, error) from None


def _unreadable(path: str, name: str, error: Exception) -> Exception:
    if cause(error) == "PATH_NOT_FOUND":
        return MissingSource(f"No file {path} that Spark can read.")
    if isinstance(error, SourceError):
        return error
    return SourceError(
        f"{name} cannot be read by Spark ({cause(error)}).", hint="It reads Parquet, ORC and CSV files."
    )


def _table(session: Any, table: str) -> tuple[Any, str, tuple[str, ...]]:
    try:
        frame = session.table(table)
        return frame, f"table {table}", tuple(frame.columns)
    except Exception as error:
        if not cause(error).startswith(("TABLE_OR_VIEW_NOT_FOUND", "SCHEMA_NOT_FOUND", "PARSE")):
            raise SourceError(f"Table {table} cannot be read ({cause(error)}).") from None
        raise unknown_table(table, sorted(one.name for one in session.catalog.listTables())) from None


def _csv(session: Any, path: str, name: str) -> tuple[Any, str, tuple[str, ...]]:
    """A CSV file, all of whose values are text; how it is written is told from its beginning."""
    lines = session.read.text(path)
    head = "\n".join(line.value for line in lines.limit(_HEAD).collect())
    if "\ufffd" in head:
        raise SourceError(f"{name} is not written in utf-8, the one encoding read through Spark.")
    dialect = detect(name, head.encode(), SourceOptions())
    columns = [f"c{place}" for place in range(len(dialect.header))]
    whole = session.read.option("columnPruning", False)  # else a line with too few values would pass
    frame = whole.csv(
        path,
        schema=", ".join(f"{column} STRING" for column in columns),
        header=True,
        sep=dialect.separator,
        quote=dialect.quote,
        escape=dialect.quote,
        multiLine=bool(dialect.quote) and _spans_lines(lines, dialect.quote),
        mode="FAILFAST",
    )
    return frame.selectExpr(*map(_field, columns)), name, dialect.header


def _field(column: str) -> str:
    """A field as it is read: nothing is missing, and a negative zero is a zero."""
    zero = f"{column} LIKE '-0%' AND {column} RLIKE '^{NEGATIVE_ZERO}$'"
    return f"CASE WHEN {zero} THEN substr({column}, 2) ELSE nullif({column}, '') END AS {column}"


def _spans_lines(lines: Any, quote: str) -> bool:
    """Whether a quoted value goes on in the next line: then some line has an odd number of quotes.

    A file with such values is read by one worker, since nothing tells where a record begins.
    """
    odd = lines.where(f"(length(value) - length(replace(value, char({ord(quote)}), ''))) % 2 = 1")
    return bool(odd.limit(1).collect())
