"""Classes as DuckDB is asked for them: kinds, statistics and the worst, over a view ``asked``.

Keys are its columns c0, c1, ...; the target is the last. ``margin`` has the target's values with their place
and the number of records that have each.
"""

from __future__ import annotations

from collections.abc import Sequence

from divulge.counting.statistics import with_sql
from divulge.counting.statistics_sql import DUCKDB

ENDS = (("sum", "total"), ("min", "least"), ("max", "most"))


def kinds(keys: Sequence[str], target: str, part: str) -> str:
    """Classes of one size whose targets' hashes have the same sums, how many there are, and one of them.

    The sums have 88 bits, which classes that differ share less often than memory fails.
    """
    names = ", ".join(keys)
    mark = f"sum(hash({target})::HUGEINT * {1 << 24} + (hash(hash({target})) & {(1 << 24) - 1}))"
    classes = f"SELECT {names}, {mark} AS mark, count(*) AS size FROM asked WHERE {part} GROUP BY {names}"
    return (
        f"SELECT mark, size, min(hash({names})) AS example, count(*) AS times FROM ({classes}) "
        "GROUP BY mark, size"
    )


def statistics(keys: Sequence[str], target: str, part: str, values: int, records: int) -> str:
    """Classes with their sizes and statistics."""
    names = ", ".join(keys)
    told = ", ".join(f'{term} AS "{name}"' for name, term in DUCKDB.terms(values).items())
    cells = f"SELECT {names}, {target}, count(*) AS n FROM asked WHERE {part} GROUP BY {names}, {target}"
    shares = (
        f"SELECT {names}, n, times / {records} AS p, "
        f"(sum(n) OVER (PARTITION BY {names}))::BIGINT AS size "
        f"FROM ({cells}) JOIN margin ON {target} IS NOT DISTINCT FROM value"
    )
    return f"SELECT {names}, size, {told} FROM ({shares}) GROUP BY {names}, size"


def sizes(keys: Sequence[str], part: str) -> str:
    """Classes with their sizes."""
    names = ", ".join(keys)
    return f"SELECT {names}, count(*) AS size FROM asked WHERE {part} GROUP BY {names}"


def by_size(classes: str) -> str:
    """For each size of classes how many there are, and the sum, least and most of each statistic."""
    told = ", ".join(
        f'{reduce}("{one.name}")::DOUBLE AS {one.name}_{end}' for one in with_sql() for reduce, end in ENDS
    )
    return f"SELECT size, count(*) AS times, {told} FROM ({classes}) GROUP BY size"


def merged(table: str) -> str:
    """The same of parts put together."""
    names = [(f"{one.name}_{end}", reduce) for one in with_sql() for reduce, end in ENDS]
    told = ", ".join(f"{reduce}({name}) AS {name}" for name, reduce in names)
    return f"SELECT size, sum(times)::BIGINT AS times, {told} FROM {table} GROUP BY size"


def first(classes: str, keys: Sequence[str], statistic: str, most: int, *, highest: bool) -> str:
    """The classes that come first by a statistic."""
    names = ", ".join(keys)
    return (
        f'SELECT {names}, "{statistic}"::DOUBLE AS score FROM ({classes}) '
        f"{_order(keys, highest=highest)} LIMIT {most}"
    )


def cells_of_first(keys: Sequence[str], target: str | None, most: int, *, highest: bool) -> str:
    """The cells of those of the table ``firsts`` that come first, with the numbers of their classes."""
    order = _order(keys, highest=highest)
    numbered = f"SELECT *, row_number() OVER ({order}) AS number FROM firsts QUALIFY number <= {most}"
    same = " AND ".join(f"asked.{key} IS NOT DISTINCT FROM f.{key}" for key in keys)
    place, margin = "0", ""
    if target is not None:
        place, margin = "margin.place", f"JOIN margin ON asked.{target} IS NOT DISTINCT FROM margin.value"
    names = ", ".join(f"f.{key}" for key in keys)
    return (
        f"SELECT {names}, number, {place} AS place, count(*) AS n FROM asked JOIN ({numbered}) AS f "
        f"ON {same} {margin} GROUP BY ALL ORDER BY number, place"
    )


def _order(keys: Sequence[str], *, highest: bool) -> str:
    return f"ORDER BY score {'DESC' if highest else 'ASC'}, hash({', '.join(keys)})"
