"""Whether each engine works here: it measures a table whose answer is known by hand."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from divulge.errors import DivulgeError, SourceError

CLOSE = 1e-12
#: Half of them of an age that tells nothing, half of one that tells the disease: a rate of 1/2, and k = 2.
PEOPLE = (
    *(("20s", "flu"), ("20s", "flu"), ("20s", "cold"), ("20s", "cold")),
    *(("30s", "flu"), ("30s", "flu"), ("40s", "cold"), ("40s", "cold")),
)
#: Records in so many streets: compiled loops count them, and the least budget of memory does not hold them.
RECORDS, STREETS = 1 << 21, 1 << 16


@dataclass(frozen=True)
class SelfTestReading:
    """What was read of a table, and the k that it has by hand; the discrimination rate of each is 1/2."""

    rate: float
    k: float
    right_k: int

    @property
    def wrong(self) -> str | None:
        if abs(self.rate - 0.5) <= CLOSE and self.k == self.right_k:
            return None
        return (
            f"It gives a discrimination rate of {self.rate!r} and k = {self.k:g}; correct are 0.5 and "
            f"{self.right_k}."
        )


class Tested(NamedTuple):
    """How a self-test went: what is wrong, if anything, and the seconds it took."""

    wrong: str | None
    seconds: float


@dataclass(frozen=True)
class SelfTest:
    """An engine, what it is made of, and a test that writes into a folder of its own."""

    name: str
    parts: tuple[str, ...]
    answer: Callable[[Path], SelfTestReading]

    def test(self) -> Tested:
        began = time.perf_counter()
        try:
            with TemporaryDirectory(prefix="divulge-", ignore_cleanup_errors=True) as folder:
                wrong = self.answer(Path(folder)).wrong
        except Exception as error:  # whatever it is, the other engines are tested too
            wrong = _told(error)
        return Tested(wrong, time.perf_counter() - began)


def _told(error: Exception) -> str:
    """What went wrong; the words of other libraries' errors may hold what they were configured with."""
    if isinstance(error, DivulgeError | ImportError):
        return str(error)
    return f"{type(error).__name__} was raised."


def _out_of_core(folder: Path) -> SelfTestReading:
    from divulge.engines.out_of_core.budget import LEAST

    return _of_streets(folder, memory=LEAST)


def _of_streets(folder: Path, memory: int | None = None) -> SelfTestReading:
    """In every other street half have either disease, in the others all have one: flu and cold in turn."""
    from divulge.questions.data import read
    from divulge.source import duck

    path = folder / "streets.parquet"
    people = f"SELECT i % {STREETS} AS street, i // {STREETS} AS place FROM range({RECORDS}) AS counted(i)"
    ill = "CASE WHEN street % 4 = 3 OR (street % 2 = 0 AND place % 2 = 0) THEN 'cold' ELSE 'flu' END"
    with duck.shared().cursor() as connection:
        table = connection.sql(f"SELECT street % 1024 AS region, street, {ill} AS disease FROM ({people})")
        table.write_parquet(str(path))
    data = read(path, memory=memory)
    if memory is not None and data.engine.kind != "out of core":
        raise SourceError(f"{data.records} records were in memory; they should stay on disk.")
    return _answer(data, ["region", "street"], right_k=RECORDS // STREETS)


def _database(folder: Path) -> SelfTestReading:
    import sqlite3

    from divulge.questions.data import read

    path = folder / "people.sqlite"
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TABLE people (age TEXT, disease TEXT)")
        connection.executemany("INSERT INTO people VALUES (?, ?)", PEOPLE)
    return _answer(read(f"sqlite:///{path.as_posix()}", table="people"), ["age"], right_k=2)


def _spark(folder: Path) -> SelfTestReading:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # what PySpark says of other libraries at its import
        from pyspark import SparkContext

    from divulge.engines.spark.opening import open_spark
    from divulge.questions.data import read

    path = folder / "people.csv"
    path.write_text("\n".join(map(",".join, (("age", "disease"), *PEOPLE))) + "\n", "utf-8")
    running = SparkContext._active_spark_context
    try:
        data = read(open_spark(str(path), master="local[1]" if running is None else None))
        return _answer(data, ["age"], right_k=2)
    finally:
        if running is None and SparkContext._active_spark_context is not None:
            SparkContext._active_spark_context.stop()


def _gpu(folder: Path) -> SelfTestReading:
    from divulge.questions.data import read

    columns = dict(zip(("age", "disease"), map(list, zip(*PEOPLE, strict=True)), strict=True))
    return _answer(read(columns, engine="gpu"), ["age"], right_k=2)


def _answer(data: Any, keys: Sequence[str], right_k: int) -> SelfTestReading:
    from divulge.api import measure

    rate, k = measure(data, ["discrimination_rate", "k_anonymity"], keys=keys, target="disease")
    return SelfTestReading(rate.value or 0.0, k.value or 0.0, right_k)


ENGINES = (
    SelfTest("local", ("DuckDB", "NumPy"), _of_streets),
    SelfTest("out of core", ("DuckDB", "NumPy"), _out_of_core),
    SelfTest("database", ("SQLAlchemy", "SQLite"), _database),
    SelfTest("spark", ("PySpark", "pyarrow", "Java"), _spark),
    SelfTest("gpu", ("GPU",), _gpu),
)
