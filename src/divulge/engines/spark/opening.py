"""Spark frames, classic or by Spark Connect, and files and tables that Spark reads."""

from __future__ import annotations

from typing import Any

from divulge.engines.spark.querying import asking
from divulge.engines.spark.session import frame_of
from divulge.engines.spark.table import SparkTable
from divulge.errors import SourceError
from divulge.source.base import check_names, check_table


def open_spark(place: str, master: str | None = None, remote: str | None = None) -> SparkTable:
    """A file or a table that Spark reads, on the cluster of a master or behind a Connect address."""
    frame, name, attributes = frame_of(place, master, remote)
    return _opened(frame, name, attributes)


def open_frame(frame: Any, name: str = "a Spark frame") -> SparkTable:
    """A source over the user's own frame, asked through the session that it belongs to."""
    if not type(frame).__module__.startswith("pyspark.sql"):
        raise SourceError("A pandas-on-Spark frame cannot be read directly.", hint="Give frame.to_spark().")
    return _opened(frame, name, tuple(frame.columns))


def _opened(frame: Any, name: str, attributes: tuple[str, ...]) -> SparkTable:
    check_names(name, attributes)
    with asking(name):
        if frame.isStreaming:
            raise SourceError("A stream cannot be counted.", hint="Give a table that it was written to.")
        kinds = tuple(one.dataType.simpleString() for one in frame.schema.fields)
        # By place: Spark takes names apart at dots, and names that differ by case only for one.
        frame = frame.toDF(*(f"c{place}" for place in range(len(attributes))))
        records = frame.count()
    check_table(name, attributes, records)
    return SparkTable(name, attributes, records, frame, kinds)
