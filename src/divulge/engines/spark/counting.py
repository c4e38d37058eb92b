"""A table on a cluster counted query by query: what is kept between queries stays there."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy.typing as npt

from divulge.counting.statistics_sql import SPARK
from divulge.engines.external.counting_place import Columns, CountingPlace
from divulge.engines.spark.opening import open_frame
from divulge.engines.spark.querying import asking
from divulge.engines.spark.release import SparkWorkplace
from divulge.engines.spark.table import SparkTable


class SparkCounting(SparkWorkplace, CountingPlace):
    """A table on a cluster, with frames beside it that are kept there while they are of use."""

    statistics = SPARK

    def __init__(self, table: SparkTable) -> None:
        super().__init__(table, None, overwrite=False)
        self._kept: dict[str, Any] = {}
        self._made = 0

    def put(self, columns: Columns) -> str:
        import pyarrow as pa

        with asking(self.name):
            frame = self._table.frame.sparkSession.createDataFrame(pa.table(dict(columns)))
        return self._called("t", frame)

    def hold(self, query: str) -> str:
        with asking(self.name):
            frame = self._query(query).persist()
        name = self._called("h", frame)
        self._kept[name] = frame
        return name

    def drop(self, held: str) -> None:
        self._frames.pop(held.strip("{}"))
        with asking(self.name):
            self._kept.pop(held).unpersist()

    def numbers(self, query: str) -> list[npt.NDArray[Any]]:
        with asking(self.name):
            found = self._query(query).toArrow()
        return [column.to_numpy() for column in found.columns]

    def released(self, query: str, columns: Mapping[str, str]) -> SparkTable:
        with asking(self.name):
            frame = self._query(f"SELECT {', '.join(columns.values())} FROM ({query}) AS t")
        return open_frame(frame.toDF(*columns), "the release")

    def close(self) -> None:
        for held in list(self._kept):
            self.drop(held)

    def _called(self, letter: str, frame: Any) -> str:
        """What stands behind FROM for a frame."""
        self._made += 1
        name = f"{letter}{self._made}_"
        self._frames[name] = frame
        return f"{{{name}}}"
