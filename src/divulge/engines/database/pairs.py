"""Two tables of a database joined by a key: the records of both, side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import sqlalchemy as sa

from divulge.engines.coded_table import Markers
from divulge.engines.database.column import DatabaseColumn
from divulge.engines.external.table import JoinKeys, PairedTables, paired_names

_DIALECTS = ("postgresql", "sqlite")


def joined(
    ours: Any, theirs: Any, keys: JoinKeys, columns: tuple[Sequence[str], Sequence[str]]
) -> PairedTables | None:
    """The records of two database tables by a key; None where no one database has both and joins so."""
    if not ours.session.same_database(theirs.session) or _dialect(ours) not in _DIALECTS:
        return None
    own = _side(ours, keys.ours, columns[0], keys.missing[0], "o").subquery("x")
    other = _side(theirs, keys.theirs, columns[1], keys.missing[1], "r").subquery("y")
    names = [f"k{place}" for place in range(len(keys.ours))]
    met = sa.and_(*(own.c[name] == other.c[name] for name in names))
    there = sa.and_(*(own.c[name].is_not(None) for name in names))
    by = [own.c[name] for name in names]
    twice = _repeats(ours, sa.select(sa.func.count().label("n")).select_from(own).where(there).group_by(*by))
    again = 0
    if not twice:
        both = own.join(other, met)
        again = _repeats(ours, sa.select(sa.func.count().label("n")).select_from(both).group_by(*by))
    if twice or again:
        return PairedTables((twice, again), None)
    called = paired_names(*columns)
    picked = [own.c.present, other.c.present]
    picked += [own.c[f"o{place}"] for place in range(len(columns[0]))]
    picked += [other.c[f"r{place}"] for place in range(len(columns[1]))]
    chosen = sa.select(*(one.label(name) for one, name in zip(picked, called, strict=True)))
    if _dialect(ours) == "sqlite":  # whose full joins compare each record with each
        unmet = chosen.select_from(other.outerjoin(own, met)).where(own.c.present.is_(None))
        pairs = sa.union_all(chosen.select_from(own.outerjoin(other, met)), unmet).subquery("pairs")
    else:
        pairs = chosen.select_from(own.join(other, met, full=True)).subquery("pairs")
    truth = [False, False]
    truth += [
        table.columns[n].truth for table, used in zip((ours, theirs), columns, strict=True) for n in used
    ]
    described = {
        name: DatabaseColumn(name, kept, sa.column(name).label(name))
        for name, kept in zip(called, truth, strict=True)
    }
    made = replace(
        ours,
        name=f"{ours.name} beside {theirs.name}",
        attributes=called,
        records=ours.records + theirs.records,
        place=pairs,
        columns=described,
        _read={},
        _summed={},
    )
    return PairedTables((0, 0), made)


def _dialect(table: Any) -> str:
    return str(table.session.engine.dialect.name)


def _side(table: Any, keys: Sequence[str], columns: Sequence[str], missing: Markers, letter: str) -> Any:
    """One of the tables: its key as text, missing where it means that, and its columns by their places."""
    picked = [sa.literal_column("1").label("present")]
    for place, name in enumerate(keys):
        text = sa.cast(table.columns[name].grouped.element, sa.Text)
        known = sa.case((text.not_in(sorted(missing)), text)) if missing else text
        picked.append(known.label(f"k{place}"))
    picked += [
        table.columns[name].grouped.element.label(f"{letter}{place}") for place, name in enumerate(columns)
    ]
    side = sa.select(*picked).select_from(table.place)
    return side.limit(-1) if _dialect(table) == "sqlite" else side  # made before it is joined, with an index


def _repeats(table: Any, grouped: Any) -> int:
    """On how many records more than one for each group a key stands."""
    counted = grouped.subquery("g")
    [(found,)] = table.rows(sa.select(sa.func.sum(counted.c.n - 1)))
    return int(found or 0)
