"""Released attributes that are not the original's, or not by their values, and tell what one of it says."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from divulge._support.wording import enumerated
from divulge.alignment.tables import Alignment
from divulge.attacks.changed_values.finer_columns import finer_intervals, said_again, tells_more
from divulge.attacks.changed_values.truth import MOST_CHANGED
from divulge.attacks.changed_values.value_pairs import MOSTLY, ValuePairs
from divulge.attacks.linkage.candidates import share
from divulge.table.codes import Codes
from divulge.table.schema import Role, Schema

RELATED = 0.9  # correlation of ranks, from which on numbers are in nearly the same order
KNOWN = "Someone who knows how it was made, or guesses it from how often values occur, can read it."


class Restated(NamedTuple):
    """A new attribute that says much of one of the original."""

    new: str
    name: str
    follows: bool  # from one that the release dropped, or nearly


def read_new_columns(alignment: Alignment, added: Sequence[str]) -> tuple[Alignment, list[str]]:
    """The alignment in which attributes that the release dropped or coarsened are read off ``added`` ones.

    An attribute is read where a value of the new one goes with one of its values, for nearly all records;
    the release is then held to what it shows. Beside it is what was read, in words.
    """
    assert alignment.rows is not None
    told: dict[str, list[str]] = {}
    found = alignment
    schema = alignment.original.schema
    for name in (*schema.quasi_identifiers, *schema.sensitive) if added else ():
        if _shown_anyway(alignment, name):
            continue
        best = max(_telling(alignment, name, added), key=lambda one: one[1].told, default=None)
        if best is not None:
            told.setdefault(best[0], []).append(name)
            found = with_values(found, name, best[1].original_values())
        elif (part := _finer(alignment, name, added)) is not None:
            told.setdefault(part[0], []).append(f"a part of {name}")
            found = with_values(found, name, part[1])
    known = set(alignment.columns.values())
    return found, [_said(one, names, one in known) for one, names in told.items()]


def _finer(alignment: Alignment, name: str, added: Sequence[str]) -> tuple[str, Codes] | None:
    """A new attribute that says in which part of a released interval numbers lie, and these parts."""
    for one in added:
        if one != alignment.columns.get(name) and tells_more(alignment, name, one):
            column = finer_intervals(alignment, name, one)
            if column is not None:
                return one, column
    return None


def restated(alignment: Alignment, added: Sequence[str]) -> list[Restated]:
    """The new attributes that say much of one that the release dropped or coarsened, though not its values.

    They follow from it, as an age group does from an age, are numbers in nearly the same order, or explain
    most of what the release leaves open of it.
    """
    if alignment.rows is None or not added:
        return []
    ours, theirs = alignment.rows
    schema, found = alignment.original.schema, list[Restated]()
    for name in (*schema.quasi_identifiers, *schema.sensitive):
        there = alignment.columns.get(name)
        if _shown_anyway(alignment, name):
            continue
        for one in added:
            if one == there:
                continue
            column, code = alignment.released.column(one), alignment.released.suppressed_code(one)
            hidden = [] if code is None else [code]
            pairs = ValuePairs.between(alignment.original.column(name), column, ours, theirs, hidden)
            if pairs is None:
                continue
            follows = there is None and (pairs.follows or abs(pairs.in_order) >= RELATED)
            if follows or (tells_more(alignment, name, one) and not said_again(alignment, one)):
                found.append(Restated(one, name, follows))
    return found


def _telling(alignment: Alignment, name: str, added: Sequence[str]) -> Iterator[tuple[str, ValuePairs]]:
    """The new attributes that tell the values of one of the original's."""
    assert alignment.rows is not None
    ours, theirs = alignment.rows
    for one in added:
        if one == alignment.columns.get(name):
            continue
        column, code = alignment.released.column(one), alignment.released.suppressed_code(one)
        hidden = [] if code is None else [code]
        pairs = ValuePairs.between(alignment.original.column(name), column, ours, theirs, hidden)
        if pairs is None or len(pairs.mine) < MOSTLY * len(ours):
            continue
        if pairs.determined or pairs.sorted_alike:
            yield one, pairs


def _shown_anyway(alignment: Alignment, name: str) -> bool:
    """Whether the release shows the attribute itself, so that nothing else has to tell its values."""
    there = alignment.columns.get(name)
    if there is None:
        return False
    assert alignment.rows is not None
    shared = share(alignment.released, alignment.original, {name: there})[name]
    pairs = ValuePairs.of(shared, *alignment.rows)
    if pairs is None:
        return False
    return pairs.told * len(pairs.mine) >= (1 - MOST_CHANGED) * len(alignment.rows[0])


def with_values(alignment: Alignment, name: str, column: Codes) -> Alignment:
    """The alignment in which the release has an attribute of the original, with these values."""
    there = alignment.columns.get(name)
    if there is not None:
        return replace(alignment, released=alignment.released.replacing(there, column))
    role = alignment.original.schema.role(name)
    released = alignment.released.replacing(name, column)
    released = released.with_roles(_with_role(released.schema, name, role))
    columns: Mapping[str, str] = {**alignment.columns, name: name}
    ordered = {one: columns[one] for one in alignment.original.schema.attributes if one in columns}
    return replace(alignment, released=released, columns=ordered)


def _with_role(schema: Schema, name: str, role: Role) -> Schema:
    keys, sensitive = schema.quasi_identifiers, schema.sensitive
    return replace(
        schema,
        quasi_identifiers=(*keys, name) if role is Role.QUASI_IDENTIFIER else keys,
        sensitive=(*sensitive, name) if role is Role.SENSITIVE else sensitive,
    )


def _said(one: str, names: Sequence[str], known: bool) -> str:
    what = "whose values are not those of the original" if known else "which the original does not have"
    return f"{one}, {what}, tells {enumerated(names)} of nearly every record, and is read so here. {KNOWN}"
