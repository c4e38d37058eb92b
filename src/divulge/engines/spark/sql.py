"""What is asked of Spark, as text: values made comparable, then cells, classes, kinds and their statistics.

Every query reads ``{table}``, whose columns are named by their places; names of attributes never reach it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from divulge.counting.statistics import with_sql
from divulge.counting.statistics_sql import SPARK

_PLAIN = {
    *("boolean", "tinyint", "smallint", "int", "bigint", "decimal", "string", "char", "varchar", "binary"),
    *("date", "timestamp", "timestamp_ntz", "time", "float", "double", "interval", "void"),
}
_FLAGS = 62  # of missing values in one number


def comparable(column: str, kind: str) -> str | None:
    """A column whose equal values are equal here, missing ones NULL; None if its type has no such values.

    >>> comparable("c0", "double")
    'CASE WHEN NOT isnan(c0) THEN c0 + CAST(0 AS double) END'
    >>> comparable("c0", "array<int>")
    """
    family = kind.partition("(")[0].partition(" ")[0]
    if family not in _PLAIN or kind == "interval":  # months and seconds together: no two can be compared
        return None
    if family in ("float", "double"):  # -0.0 + 0 is 0.0
        return f"CASE WHEN NOT isnan({column}) THEN {column} + CAST(0 AS {kind}) END"
    if "collate" in kind:  # it may say that A and a are the same
        return f"collate({column}, 'UTF8_BINARY')"
    if kind == "void" or "year" in kind or "month" in kind:  # Arrow has no intervals of months
        return f"CAST({column} AS STRING)"
    return column


def hashed(columns: Sequence[str], seed: int) -> str:
    """64 bits of some columns together.

    Spark's hash passes over what is NULL, so that (1, NULL) and (NULL, 1) would be one; which columns
    are NULL is therefore hashed along.
    """
    flags = [
        " | ".join(f"IF({c} IS NULL, {1 << place}L, 0L)" for place, c in enumerate(columns[i : i + _FLAGS]))
        for i in range(0, len(columns), _FLAGS)
    ]
    return f"xxhash64({', '.join([f'{seed}L', *flags, *columns])})"


def cells(picked: str, keys: Sequence[str], target: str | None, some: int = 1) -> str:
    """The beginning of a query: ``cells``, how many records (n) of class (y1, y2) have target value (x).

    Of so many classes one is taken.
    """
    y1, y2 = hashed(keys, 1), hashed(keys, 2)
    x = "" if target is None else f", xxhash64({target}) AS x"
    by = "y1, y2" if target is None else "y1, y2, x"
    return f"""
        WITH records AS (SELECT {y1} AS y1, {y2} AS y2{x} FROM (SELECT {picked} FROM {{table}})),
             cells AS (SELECT {by}, count(*) AS n FROM records WHERE pmod(y1, {some}) = 0 GROUP BY {by})"""


def kinds(picked: str, keys: Sequence[str], target: str | None, some: int = 1) -> str:
    """How many classes (times) look alike: have a size (n), or the same numbers of the same target values."""
    if target is None:
        return f"{cells(picked, keys, None)} SELECT n, count(*) AS times FROM cells GROUP BY n"
    return f"""{cells(picked, keys, target, some)},
        classes AS (SELECT sort_array(collect_list(struct(x, n))) AS look FROM cells GROUP BY y1, y2)
        SELECT look, count(*) AS times FROM classes GROUP BY look"""


def classes(picked: str, keys: Sequence[str], target: str, values: int, records: int) -> str:
    """The beginning of a query: ``classes`` with their sizes and statistics.

    ``{margin}`` says how many (t) records have each target value (x); it is sent to every worker unless
    there are very many values.
    """
    statistics = ", ".join(f"{term} AS {name}" for name, term in SPARK.terms(values).items())
    hint = "/*+ BROADCAST(margin) */" if values <= 1 << 20 else ""
    return f"""{cells(picked, keys, target)},
        margin AS (SELECT x, t / {records}D AS p FROM {{margin}}),
        shares AS (SELECT {hint} y1, y2, n, p, sum(n) OVER (PARTITION BY y1, y2) AS size
                   FROM cells JOIN margin USING (x)),
        classes AS (SELECT y1, y2, size, {statistics} FROM shares GROUP BY y1, y2, size)"""


def by_size(classes: str) -> str:
    """For each size of classes how many there are, and the sum, least and most of each statistic."""
    found = ", ".join(
        f"sum({one.name}) AS {one.name}_total, min({one.name}) AS {one.name}_least, "
        f"max({one.name}) AS {one.name}_most"
        for one in with_sql()
    )
    return f"{classes} SELECT size, count(*) AS times, {found} FROM classes GROUP BY size"


def ordered(statistic: str, *, highest: bool) -> str:
    """How classes are sorted so that the lowest or highest of a statistic come first."""
    return f"{statistic} {'DESC' if highest else 'ASC'}"


def smallest(picked: str, keys: Sequence[str], most: int) -> str:
    """The smallest classes with the values of their keys."""
    named = ", ".join(keys)
    return f"""
        SELECT {named}, count(*) AS n FROM (SELECT {picked} FROM {{table}}) GROUP BY {named}
        ORDER BY n, {hashed(keys, 1)} LIMIT {most}"""


def replaced(width: int, hashes: Mapping[str, str], shown: Sequence[str], kept: Sequence[str]) -> str:
    """The table with columns replaced by what frames say of their hashes, and without some rows.

    ``hashes`` has for each frame, named m and the place of the column, the hash that it knows values by.
    Rows are left if they are ``shown`` before, and ``kept`` by what columns are after.
    """
    columns = ", ".join(
        f"m{place}.d AS c{place}" if f"m{place}" in hashes else f"t.c{place}" for place in range(width)
    )
    joins = " ".join(f"LEFT JOIN {{{name}}} AS {name} ON {term} = {name}.x" for name, term in hashes.items())
    hint = f"/*+ BROADCAST({', '.join(hashes)}) */" if hashes else ""
    before, after = (f"WHERE {' AND '.join(terms)}" if terms else "" for terms in (shown, kept))
    return f"SELECT * FROM (SELECT {hint} {columns} FROM {{table}} AS t {joins} {before}) {after}"


def worst(classes: str, picked: str, keys: Sequence[str], target: str, order: str, most: int) -> str:
    """The cells of the classes that come first in an order, with the values of their keys."""
    y1, y2 = hashed(keys, 1), hashed(keys, 2)
    named = ", ".join(keys)
    return f"""{classes},
        worst AS (SELECT y1, y2 FROM classes ORDER BY {order}, y1, y2 LIMIT {most}),
        named AS (SELECT {named}, {y1} AS y1, {y2} AS y2, xxhash64({target}) AS x
                  FROM (SELECT {picked} FROM {{table}}))
        SELECT {named}, y1, y2, x, count(*) AS n FROM named JOIN worst USING (y1, y2)
        GROUP BY {named}, y1, y2, x ORDER BY y1, y2, x"""
