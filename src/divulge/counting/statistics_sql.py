"""Class statistics as SQL: one template for each, put into the words of a database.

A template is an aggregate over the cells of one class. It reads the columns ``{n}``, the records of a cell or
what these weigh, ``{count}``, its records whatever they weigh, ``{size}``, the records of its class or their
weight, and ``p``, the share of all records with the cell's target value; ``{values}`` is how many target
values there are.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass

from divulge.counting.statistics import with_sql


@dataclass(frozen=True)
class SqlDialect:
    """How a database writes what databases write differently."""

    log2: str = "log2"
    greatest: str = "greatest"
    infinity: str = "'infinity'::DOUBLE PRECISION"
    n: str = "n"
    count: str = "n"
    size: str = "size"

    def terms(self, values: int) -> dict[str, str]:
        """Every statistic of a class by its name, for a target of so many values."""
        words = {**asdict(self), "values": values}
        return {one.name: one.sql.format(**words) for one in with_sql() if one.sql is not None}


DUCKDB = SqlDialect(infinity="'infinity'::DOUBLE")
SPARK = SqlDialect(infinity="double('infinity')")
# A quotient of whole numbers would be a whole number there.
POSTGRESQL = SqlDialect(
    log2=f"{1.4426950408889634!r} * ln",
    n="n::DOUBLE PRECISION",
    count="n::DOUBLE PRECISION",
    size="size::DOUBLE PRECISION",
)
SQLITE = SqlDialect(
    greatest="max", infinity="9e999", n="CAST(n AS REAL)", count="CAST(n AS REAL)", size="CAST(size AS REAL)"
)
