"""Two tables on a cluster joined by a key: the records of both, side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from divulge.engines.coded_table import Markers
from divulge.engines.external.table import CountedAs, JoinKeys, PairedTables, paired_names
from divulge.engines.spark.querying import SparkQueries, asking


def joined(
    ours: SparkQueries, theirs: SparkQueries, keys: JoinKeys, columns: tuple[Sequence[str], Sequence[str]]
) -> PairedTables | None:
    """The records of both tables by a key; None where the tables are of different sessions."""
    session = ours.frame.sparkSession
    if session is not theirs.frame.sparkSession:
        return None
    own = _side(ours, keys.ours, columns[0], keys.missing[0], "o")
    other = _side(theirs, keys.theirs, columns[1], keys.missing[1], "r")
    names = [f"k{place}" for place in range(len(keys.ours))]
    by, there = ", ".join(names), " AND ".join(f"{name} IS NOT NULL" for name in names)
    met = " AND ".join(f"x.{name} = y.{name}" for name in names)
    frames = {"ours": ours.frame, "theirs": theirs.frame}

    def number(query: str) -> int:
        with asking(ours.name):
            return int(session.sql(query, **frames).toArrow()[0][0].as_py() or 0)

    twice = number(f"SELECT sum(n - 1) FROM (SELECT count(*) AS n FROM ({own}) WHERE {there} GROUP BY {by})")
    again = 0
    if not twice:
        grouped = ", ".join(f"x.{name}" for name in names)
        both = f"({own}) AS x JOIN ({other}) AS y ON {met}"
        again = number(f"SELECT sum(n - 1) FROM (SELECT count(*) AS n FROM {both} GROUP BY {grouped})")
    if twice or again:
        return PairedTables((twice, again), None)
    picked = ["x.present AS c0", "y.present AS c1"]
    picked += [f"x.o{place}" for place in range(len(columns[0]))]
    picked += [f"y.r{place}" for place in range(len(columns[1]))]
    query = f"SELECT {', '.join(picked)} FROM ({own}) AS x FULL OUTER JOIN ({other}) AS y ON {met}"
    with asking(ours.name):
        frame: Any = session.sql(query, **frames)
        kinds = tuple(one.dataType.simpleString() for one in frame.schema.fields)
        frame = frame.toDF(*(f"c{place}" for place in range(len(kinds))))
    domains = {
        f"{side} {name}": table.domains[name]
        for side, table, used in zip(("original", "release"), (ours, theirs), columns, strict=True)
        for name in used
        if name in table.domains
    }
    made: Any = type(ours)(
        f"{ours.name} beside {theirs.name}",
        paired_names(*columns),
        ours.records + theirs.records,
        frame,
        kinds,
        domains,
    )
    return PairedTables((0, 0), made)


def _side(
    table: SparkQueries, keys: Sequence[str], columns: Sequence[str], missing: Markers, letter: str
) -> str:
    """One of the tables: its key as text, missing where it means that, and its columns by their places."""
    marked = replace(table, how=CountedAs(missing_values=missing))
    picked = [f"CAST({marked.unmarked(name)} AS STRING) AS k{place}" for place, name in enumerate(keys)]
    picked += [f"{table.comparable(name)} AS {letter}{place}" for place, name in enumerate(columns)]
    source = "ours" if letter == "o" else "theirs"
    return f"SELECT true AS present, {', '.join(picked)} FROM {{{source}}}"
