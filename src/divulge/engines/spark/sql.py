"""How values are written for Spark: made comparable, hashed, read as numbers, replaced.

Every query reads ``{table}``, whose columns are named by their places; names of attributes never reach it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

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


def values(columns: Sequence[str]) -> str:
    """64 bits of the value that one attribute, or several together, have."""
    return f"xxhash64({columns[0]})" if len(columns) == 1 else hashed(columns, 3)


def number(column: str, kind: str) -> str:
    """A column read as a finite number; NULL where it is none."""
    family = kind.partition("(")[0].partition(" ")[0]
    if family in ("string", "char", "varchar"):  # Java also reads 1d and 1f
        read = f"CASE WHEN NOT {column} RLIKE '[dDfF]\\\\s*$' THEN try_cast({column} AS DOUBLE) END"
    elif family in ("tinyint", "smallint", "int", "bigint", "decimal", "float", "double"):
        read = f"CAST({column} AS DOUBLE)"
    else:
        return "CAST(NULL AS DOUBLE)"
    return f"CASE WHEN abs({read}) < double('infinity') THEN {read} END"


def literal(text: str) -> str:
    """A text in quotes, with braces doubled: those of a query name frames."""
    plain = text.replace("\\", "\\\\").replace("'", "\\'")
    return "'" + plain.replace("{", "{{").replace("}", "}}") + "'"


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
