"""What `read` may be told of a table, said directly to the functions that read one."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, TypedDict

from divulge.errors import ParameterError, listing, suggestion
from divulge.questions.data import Data, read
from divulge.source.options import OPTIONS, Labels, Missing
from divulge.table.hierarchy import Hierarchy


class ReadKeywords(TypedDict, total=False):
    """The keywords of :func:`divulge.read`."""

    identifiers: str | Sequence[str] | None
    quasi_identifiers: str | Sequence[str] | None
    sensitive: str | Sequence[str] | None
    weights: str | None
    missing: Missing
    missing_values: str | Sequence[str] | None
    suppressed: str | None
    hierarchies: Mapping[str, Hierarchy | str | os.PathLike[str]] | None
    orders: Mapping[str, Sequence[object]] | None
    table: str | None
    separator: str | None
    quote: str | None
    encoding: str | None
    no_header: bool
    names: Sequence[str]
    skip: int
    comment: str | None
    layout: str | None
    labels: Labels
    anatomy: Any
    engine: str | None
    master: str | None
    memory: str | int | None


_MEANT = {"qi": "quasi_identifiers", "qis": "quasi_identifiers", "qid": "quasi_identifiers"} | {
    "keys": "quasi_identifiers",
    "target": "sensitive",
    "sep": "separator",
    "delimiter": "separator",
}


def refuse_unknown(said: Mapping[str, object]) -> None:
    """Refuse keywords that no table is described with.

    >>> refuse_unknown({"qi": ["age"]})
    Traceback (most recent call last):
    divulge.errors.ParameterError: Unknown keyword: 'qi'. Did you mean 'quasi_identifiers'?
    """
    known = ReadKeywords.__annotations__
    for name in said:
        if name not in known:
            meant = f"Did you mean '{_MEANT[name]}'?" if name in _MEANT else suggestion(name, known)
            raise ParameterError(
                f"Unknown keyword: '{name}'.",
                hint=meant or f"A table is described by {listing(tuple(known))}.",
            )


def opening(said: ReadKeywords) -> ReadKeywords:
    """The keywords that say how to open a table, and nothing about its attributes or values."""
    kept = {name: given for name, given in said.items() if _opens(name)}
    return ReadKeywords(**kept)  # type: ignore[typeddict-item]


def meanings(said: ReadKeywords) -> list[str]:
    """The names of the other keywords: roles, and what values mean."""
    return [name for name in said if not _opens(name)]


def _opens(name: str) -> bool:
    return name in OPTIONS and OPTIONS[name].concerns != "values"


def with_keywords(data: object, said: ReadKeywords) -> Data:
    """Data from whatever holds the records, as the keywords describe them.

    Of data that were read before, each keyword replaces what was said of the same thing; what was read and
    counted is kept. How to open a table can no longer be said then.

    >>> people = read({"age": [20, 30], "ill": ["flu", "cold"]}, quasi_identifiers="age")
    >>> with_keywords(people, {"sensitive": "ill"}).schema.quasi_identifiers
    ('age',)
    """
    refuse_unknown(said)
    if not isinstance(data, Data):
        return read(data, **said)
    if late := list(opening(said)):
        raise ParameterError(
            f"These data are open already, so {listing(late)} cannot be given.", hint="Say it to dv.read."
        )
    if not said:
        return data
    now: ReadKeywords = {
        "identifiers": data.schema.identifiers,
        "quasi_identifiers": data.schema.quasi_identifiers,
        "sensitive": data.schema.sensitive,
        "weights": data.weights,
        "missing": data.missing,
        "missing_values": tuple(data.missing_values),
        "suppressed": data.suppressed,
        "hierarchies": data.hierarchies,
        "orders": data.orders,
    }
    now.update(said)
    return replace(read(data.source, **now), engine=data.engine)
