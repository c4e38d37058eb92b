"""Classes as Spark is asked for them: cells, kinds of classes, their statistics and the worst of them.

A class is two hashes of its keys (y1, y2), a target value one (x); n counts records and w adds up weights.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from divulge.counting.statistics import with_sql
from divulge.counting.statistics_sql import SPARK
from divulge.engines.spark.sql import hashed, values

BROADCAST = 1 << 20  # target values up to which how often each occurs is sent to every worker


@dataclass(frozen=True)
class Asked:
    """What is read of a table: columns of the keys, the target, and those that say whose a record is.

    ``picked`` makes them of the table, with the weight as ``w``. ``gaps`` are the sets of missing keys that
    occur, as bits, where a missing key matches any value.
    """

    picked: str
    keys: Sequence[str]
    target: Sequence[str] = ()
    people: Sequence[str] = ()
    weighted: bool = False
    gaps: Sequence[int] = ()

    @property
    def each_alone(self) -> bool:
        """Whether every record is a target value of its own."""
        return not self.target and not self.people

    @property
    def extras(self) -> list[str]:
        """What classes of one size may be told apart by."""
        return ["people"] * bool(self.people) + ["own"] * bool(self.gaps)

    @property
    def told(self) -> str:
        """What says which target value a cell has."""
        return "" if self.each_alone else ", x"

    @property
    def part(self) -> str:
        """What probabilities are made of."""
        return "w" if self.weighted else "n"


def cells(asked: Asked, some: int = 1) -> str:
    """The beginning of a query: ``cells``, how many records (n) of class (y1, y2) have target value (x).

    Of so many classes one is taken.
    """
    read = [f"{hashed(asked.keys, 1)} AS y1", f"{hashed(asked.keys, 2)} AS y2"]
    read += [f"{values(asked.target)} AS x"] if asked.target else []
    whose = f"struct({hashed(asked.people, 1)}, {hashed(asked.people, 2)})" if asked.people else ""
    read += [f"{whose} AS {'s' if asked.target else 'x'}"] if asked.people else []
    read += ["w"] if asked.weighted else []
    read += asked.keys if asked.gaps else []
    records = f"""
        WITH records AS (SELECT * FROM (SELECT {", ".join(read)} FROM (SELECT {asked.picked} FROM {{table}}))
                         WHERE pmod(y1, {some}) = 0)"""
    if asked.each_alone and asked.weighted:
        return f"{records}, cells AS (SELECT y1, y2, 1 AS n, w FROM records)"
    by = f"y1, y2{asked.told}"
    if asked.gaps:
        return records + _overlapping(asked, by)
    whole = f"{records}, cells AS (SELECT {by}, {_sums(asked)} FROM records GROUP BY {by})"
    if asked.people and asked.target:
        whole += ", crowds AS (SELECT y1, y2, count(DISTINCT s) AS people FROM records GROUP BY y1, y2)"
    return whole


def _sums(asked: Asked) -> str:
    return "count(*) AS n, sum(w) AS w" if asked.weighted else "count(*) AS n"


def _overlapping(asked: Asked, by: str) -> str:
    """Cells of all records that fit a class, and how many are its ``own``.

    Two classes fit where they agree on the keys that neither lacks. So each class is sent, for every set of
    missing keys (b) that others have, to where its remaining keys meet theirs, and each cell likewise.
    """
    add = "sum(n) AS n, sum(w) AS w" if asked.weighted else "sum(n) AS n"
    first = ", ".join(f"first({key}) AS {key}" for key in asked.keys)
    bits = " | ".join(f"IF({key} IS NULL, {1 << i}L, 0L)" for i, key in enumerate(asked.keys))
    met = [f"IF((g | o) & {1 << i}L = 0, {key}, NULL)" for i, key in enumerate(asked.keys)]
    h1, h2 = (f"xxhash64({', '.join([f'{seed}L', *met])})" for seed in (1, 2))
    sent = f"LATERAL VIEW explode(array({', '.join(f'{gap}L' for gap in asked.gaps)})) AS o"
    meet = f"{h1} AS h1, {h2} AS h2"
    return f""",
        exact AS (SELECT {by}, {_sums(asked)}, {first} FROM records GROUP BY {by}),
        known AS (SELECT *, {bits} AS g FROM exact),
        single AS (SELECT y1, y2, g, sum(n) AS own, {first} FROM known GROUP BY y1, y2, g),
        ones AS (SELECT y1, y2, own, g AS a, o AS b, {meet} FROM single {sent}),
        parts AS (SELECT g AS b, o AS a, n{", w" * asked.weighted}{asked.told}, {meet} FROM known {sent}),
        others AS (SELECT a, b, h1, h2{asked.told}, {add} FROM parts GROUP BY a, b, h1, h2{asked.told}),
        cells AS (SELECT {by}, own, {add} FROM ones JOIN others USING (a, b, h1, h2) GROUP BY {by}, own)"""


def kinds(asked: Asked, some: int = 1) -> str:
    """How many classes (times) look alike: have a size (n), or the same numbers of the same target values."""
    told = "".join(f", {one}" for one in asked.extras)
    if asked.each_alone:
        return f"{cells(asked)} SELECT n{told}, count(*) AS times FROM cells GROUP BY n{told}"
    cell, own = f"x, n{', w' * asked.weighted}", ", own" * bool(asked.gaps)
    crowds = "JOIN crowds USING (y1, y2)" if asked.people else ""
    return f"""{cells(asked, some)},
        classes AS (SELECT y1, y2{own}, sort_array(collect_list(struct({cell}))) AS look
                    FROM cells GROUP BY y1, y2{own})
        SELECT look{told}, count(*) AS times FROM classes {crowds} GROUP BY look{told}"""


def classes(asked: Asked, different: int, total: float) -> str:
    """The beginning of a query: ``classes`` with their sizes and statistics.

    ``{margin}`` says how many (t) records have each target value (x), or what they weigh; where people or
    weighted records are looked for, that is worked out there. All weigh ``total`` together.
    """
    own = ", own" * bool(asked.gaps)
    if asked.each_alone and not asked.weighted:
        return f"{cells(asked)}, classes AS (SELECT y1, y2, n AS size{own} FROM cells)"
    dialect = replace(SPARK, n="w", size="weight") if asked.weighted else SPARK
    statistics = ", ".join(f"{term} AS {name}" for name, term in dialect.terms(different).items())
    joined, hint = "cells", ""
    if asked.target:
        share, joined = f"t / {total!r}D", "cells JOIN {margin} AS margin USING (x)"
        hint = "/*+ BROADCAST(margin) */" if different <= BROADCAST else ""
    else:
        share = f"{'sum(' + asked.part + ') OVER (PARTITION BY x)' if asked.people else 'w'} / {total!r}D"
    sums = "sum(n) OVER (PARTITION BY y1, y2) AS size"
    sums += ", w, sum(w) OVER (PARTITION BY y1, y2) AS weight" if asked.weighted else ""
    told = f"size{', weight' * asked.weighted}{own}"
    people, crowds = "", ""
    if asked.people:
        people = ", count(*) AS people" if not asked.target else ", people"
        crowds = "JOIN crowds USING (y1, y2)" if asked.target else ""
    by = told + (", people" if crowds else "")
    return f"""{cells(asked)},
        shares AS (SELECT {hint} y1, y2, n, {share} AS p{own}, {sums} FROM {joined}),
        classes AS (SELECT y1, y2, {told}{people}, {statistics} FROM shares {crowds}
                    GROUP BY y1, y2, {by})"""


def by_size(classes: str, asked: Asked) -> str:
    """For each size of classes how many there are, and the sum, least and most of each statistic."""
    ends = [("sum({})", "total"), ("min({})", "least"), ("max({})", "most")]
    ends += [("sum({} * weight)", "weighed")] if asked.weighted else []
    found = ", ".join(
        f"{term.format(one.name)} AS {one.name}_{end}" for one in with_sql() for term, end in ends
    )
    found = f"sum(weight) AS weight, {found}" if asked.weighted else found
    told = "".join(f", {one}" for one in asked.extras)
    return f"{classes} SELECT size{told}, count(*) AS times, {found} FROM classes GROUP BY size{told}"


def spread(asked: Asked) -> str:
    """How many people, or weighted records, are looked for, and the sums of t and of t log2 t."""
    totals = (
        f"SELECT sum({asked.part}) AS t FROM cells GROUP BY x" if asked.people else "SELECT w AS t FROM cells"
    )
    sums = "count(*) AS different, sum(t) AS weight, sum(t * log2(t)) AS known"
    return f"{cells(replace(asked, gaps=()))} SELECT {sums} FROM ({totals})"


def worst(classes: str, asked: Asked, statistic: str, most: int, *, highest: bool) -> str:
    """The cells of the classes that come first by a statistic, with the values of their keys."""
    if statistic == "size" and asked.people:
        statistic = "people"
    order = f"{statistic} {'DESC' if highest else 'ASC'}"
    named = ", ".join(asked.keys)
    first = ", ".join(f"first({key}) AS {key}" for key in asked.keys)
    shown = f"{named}, y1, y2, n{asked.told}{', w' * asked.weighted}{', own' * bool(asked.gaps)}"
    shown += ", people" if asked.people else ""
    totals, joined = "", ""
    if asked.people and not asked.target:
        totals = f", totals AS (SELECT x, sum({asked.part}) AS t FROM cells GROUP BY x)"
        shown, joined = f"{shown}, t", "JOIN totals USING (x)"
    return f"""{classes}{totals},
        worst AS (SELECT y1, y2{", people" * bool(asked.people)}
                  FROM classes ORDER BY {order}, y1, y2 LIMIT {most}),
        named AS (SELECT {named}, {hashed(asked.keys, 1)} AS y1, {hashed(asked.keys, 2)} AS y2
                  FROM (SELECT {asked.picked} FROM {{table}})),
        names AS (SELECT y1, y2, {first} FROM named JOIN worst USING (y1, y2) GROUP BY y1, y2)
        SELECT {shown} FROM cells JOIN worst USING (y1, y2) JOIN names USING (y1, y2) {joined}
        ORDER BY y1, y2{asked.told}"""


def gaps(picked: str, keys: Sequence[str], most: int) -> str:
    """The sets of missing keys that occur, as bits."""
    bits = " | ".join(f"IF({key} IS NULL, {1 << i}L, 0L)" for i, key in enumerate(keys))
    return f"SELECT DISTINCT {bits} AS g FROM (SELECT {picked} FROM {{table}}) LIMIT {most + 1}"
