"""Tables that are too large to be brought over, aligned where they are: joined by a key, counted, made here.

Records with the same values in both tables are one combination, which comes over once with how many there
are. So the same records are made here as codes, in another order.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from divulge.engines.external.brought_over import in_place, records_of, require_room
from divulge.engines.external.table import IN_ORIGINAL, IN_RELEASE, JoinKeys
from divulge.engines.external.workplace import MOST_CELLS
from divulge.errors import TooMuch, listing
from divulge.questions.data import Data
from divulge.source.base import Columns
from divulge.table.codes import MISSING

Integers = npt.NDArray[np.int64]
NO_ORDER = (
    "Rows cannot be aligned by their order: records that are counted where they are have none. To align "
    "them, name an identifier that both have (--by)."
)
NOT_JOINED = (
    "Rows are not aligned: the values of both tables side by side occur in too many combinations to be "
    "brought over."
)


@dataclass(frozen=True, eq=False)
class BroughtOverTables:
    """Two tables with a row here for each record, and which rows are the same people if a key says so.

    ``repeats`` says on how many records of either the key stands again, where it does. Where a row is a
    combination of values, ``times`` says how many people have each of the rows that are the same.
    """

    original: Data
    released: Data
    rows: tuple[Integers, Integers] | None
    repeats: tuple[int, int] = (0, 0)
    times: Integers | None = None


def stays(data: Data) -> bool:
    """Whether a table is counted on a cluster or in a database, and has too many cells to be fetched."""
    return counted_there(data) and data.records * len(data.schema.attributes) > MOST_CELLS


def counted_there(data: Data) -> bool:
    """Whether a table is counted on a cluster or in a database."""
    return in_place(data.engine) is not None and data.engine.kind in ("spark", "database")


def brought_over(
    original: Data,
    released: Data,
    by: Sequence[str],
    columns: Mapping[str, str],
    only: Sequence[str] = (),
    *,
    combined: bool = False,
) -> BroughtOverTables | None:
    """Both tables as records here, where one of them stays; None where records are fetched one by one.

    ``by`` are the attributes of the original that say whose record it is, and ``columns`` what those of the
    release are called. With ``only`` no other attributes come over. ``combined`` leaves a row for each
    combination of values, which then stands for many records.
    """
    if not (stays(original) or stays(released)):
        return None
    there = [columns[name] for name in by if name in columns]
    used = _used(original, by), _used(released, there)
    if only:
        named = {columns[name] for name in only if name in columns}
        used = [name for name in used[0] if name in only], [name for name in used[1] if name in named]
    if by and len(there) == len(by):
        return _joined(original, released, by, there, used, combined)
    return _apart(original, released, ((), ()), used, combined)


def _joined(
    original: Data,
    released: Data,
    by: Sequence[str],
    theirs: Sequence[str],
    used: tuple[Sequence[str], Sequence[str]],
    combined: bool,
) -> BroughtOverTables | None:
    """The records of both by a key; None where the tables are not in one place."""
    ours, others = in_place(original.engine), in_place(released.engine)
    if ours is None or others is None:
        return None
    keys = JoinKeys(tuple(by), tuple(theirs), (original.missing_values, released.missing_values))
    pairs = ours.source.joined(others.source, keys, used)
    if pairs is None:
        return None
    if pairs.table is None:
        return _apart(original, released, (by, theirs), used, combined, pairs.repeats)
    cells = original.records * len(used[0]) + released.records * len(used[1])
    if not combined:
        require_room(pairs.table.name, cells, original.records + released.records)
    found = pairs.table.combinations(pairs.table.attributes)
    if found is None and combined:
        return _apart(original, released, (by, theirs), used, combined)
    if found is None:
        raise _too_many(pairs.table.name, pairs.table.attributes[2:])
    held, times = found
    rows = np.arange(len(times)) if combined else np.repeat(np.arange(len(times)), times)
    there = [held.encode([name])[name].codes[rows] != MISSING for name in (IN_ORIGINAL, IN_RELEASE)]
    mine, yours = (np.cumsum(one) - 1 for one in there)
    same = there[0] & there[1]
    many = [times[one] if combined else None for one in (*there, same)]
    return BroughtOverTables(
        _made(original, held, "original", used[0], rows[there[0]], by, many[0]),
        _made(released, held, "release", used[1], rows[there[1]], theirs, many[1]),
        (mine[same], yours[same]),
        times=many[2],
    )


def _apart(
    original: Data,
    released: Data,
    by: tuple[Sequence[str], Sequence[str]],
    used: tuple[Sequence[str], Sequence[str]],
    combined: bool,
    repeats: tuple[int, int] = (0, 0),
) -> BroughtOverTables:
    """Both tables, each by itself, where it is not known which records are the same."""
    alone = _alone(original, used[0], by[0], combined), _alone(released, used[1], by[1], combined)
    return BroughtOverTables(*alone, None, repeats)


def _alone(data: Data, used: Sequence[str], by: Sequence[str], combined: bool) -> Data:
    """A table by itself; one that is at hand stays as it is."""
    engine = in_place(data.engine)
    if engine is None:
        return data
    if not combined:
        require_room(data.source.name, data.records * len(used), data.records)
    found = engine.source.combinations(used)
    if found is None:
        raise _too_many(data.source.name, used)
    held, times = found
    rows = np.arange(len(times)) if combined else np.repeat(np.arange(len(times)), times)
    columns = {name: held.encode([name])[name] for name in used}
    made = records_of(engine, columns.__getitem__, used, rows, _aside(data, by), times if combined else None)
    return replace(data, engine=made)


def _made(
    data: Data,
    held: Columns,
    side: str,
    used: Sequence[str],
    rows: Integers,
    by: Sequence[str],
    times: Integers | None,
) -> Data:
    """One of two tables that came over side by side."""
    engine = in_place(data.engine)
    assert engine is not None
    columns = {name: held.encode([f"{side} {name}"])[f"{side} {name}"] for name in used}
    made = records_of(engine, columns.__getitem__, used, rows, _aside(data, by), times)
    return replace(data, engine=made)


def _aside(data: Data, by: Sequence[str]) -> list[str]:
    """Identifiers and keys that no two records share: that each is another one is all they say."""
    analysed = {*data.schema.quasi_identifiers, *data.schema.sensitive}
    keys = [name for name in by if name not in analysed]
    found = keys if keys and data.distinct(keys) == data.records else []
    return [*found, *(data.schema.identifiers if data.people == data.records else ())]


def _used(data: Data, by: Sequence[str]) -> list[str]:
    """The attributes that come over: all but what gives each record a value of its own."""
    aside = _aside(data, by)
    return [name for name in data.schema.attributes if name not in aside]


def _too_many(name: str, attributes: Sequence[str]) -> TooMuch:
    return TooMuch(
        f"The values of {len(attributes)} attributes of {name} occur in more than {MOST_CELLS:,} cells of "
        f"different combinations ({listing(attributes, most=6)}), too many to be brought over.",
        hint="Leave out attributes that nobody compares, or give those that name people the role identifier.",
    )
