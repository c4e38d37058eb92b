"""Released values that are original ones under other names: another unit, another sign, a code for each."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from divulge._support.rounding import below
from divulge._support.wording import enumerated
from divulge.alignment.recognition import IntArray, numbers_of
from divulge.alignment.tables import Alignment
from divulge.attacks.changed_values.correspondence import Floats, in_order, middle_ranks
from divulge.attacks.changed_values.linear_maps import read_linear_maps
from divulge.attacks.changed_values.new_columns import read_new_columns
from divulge.attacks.changed_values.truth import MOST_CHANGED, Truth, labelled, unrecognised
from divulge.attacks.changed_values.value_pairs import MANY, MOSTLY, NEARLY_ALL, RECURRING, ValuePairs
from divulge.attacks.linkage.candidates import SharedAttribute, share
from divulge.table.codes import Codes

TELLING = 0.25  # of the records that are wrong as they are, from which on a code may be behind them
FAINT = 0.1  # correlation of ranks, below which numbers have nothing to do with each other
WHY = "Someone who knows the code, or sorts both tables, can read them, and so they are read here."


def decoded(alignment: Alignment, added: Sequence[str] = ()) -> tuple[Alignment, list[str]]:
    """The alignment with original values in place of the released ones that tell them.

    A released value tells an original one where they go together one to one, or where it is one of several
    codes for it. ``added`` are released attributes that the original does not have, and that may tell others.

    Nobody has to guess which value stands for which: numbers in another unit are in the same order, and what
    codes mean is known to somebody, follows from how often they occur, or can be computed as a hash is.
    Beside it is which attributes are read so, in words.
    """
    if alignment.rows is None or alignment.few_matched is not None:
        return alignment, []
    schema, released, names = alignment.original.schema, alignment.released, list[str]()
    for name in (*schema.quasi_identifiers, *schema.sensitive):
        there = alignment.columns.get(name)
        if there is None or (column := _original_values(alignment, name, there)) is None:
            continue
        released = released.replacing(there, column)
        names.append(there)
    if names:
        alignment = replace(alignment, released=released)
    alignment, new = read_new_columns(alignment, added)
    alignment, mapped = read_linear_maps(alignment, added)
    return alignment, [*([_said(names)] if names else []), *new, *mapped]


def unread_keys(truth: Truth) -> list[str]:
    """The released quasi-identifiers whose values may be original ones in a code that could not be read.

    Most are labels that no original value is known behind; or values that go with original ones far more
    often than they are the same; or numbers that have nothing to do with original ones, each different and in
    no order of theirs. Large noise makes such numbers, and so does a key.
    """
    assert truth.alignment.rows is not None
    ours, theirs = truth.alignment.rows
    return [
        truth.alignment.columns[name]
        for name, one in truth.shared.items()
        if labelled(one)[theirs].mean() > MOSTLY or _unrelated(one, ours, theirs)
    ]


def _unrelated(shared: SharedAttribute, ours: IntArray, theirs: IntArray) -> bool:
    """Whether values have to do with the originals, though not by their order, and not as they are."""
    found = ValuePairs.of(shared, ours, theirs)
    if found is None or len(found.mine) < RECURRING or not below(found.own, 1 - MOST_CHANGED):
        return False
    one, other = in_order(shared.other), in_order(shared.released)
    numbers = one is not None and other is not None
    if one is not None and other is not None:
        mine, yours = one[found.mine], other[found.yours]
        known = ~np.isnan(mine) & ~np.isnan(yours)
        if known.any() and abs(_related(mine[known], yours[known])) >= max(FAINT, 3 / math.sqrt(known.sum())):
            return False
    if found.recurring:
        return found.one_to_one - found.own > TELLING * (1 - found.own)
    return numbers and unrecognised(shared) > MOSTLY and found.one_to_one >= NEARLY_ALL


def _related(one: Floats, other: Floats) -> float:
    """The correlation of ranks; 1 where one side is the same for all."""
    first, second = middle_ranks(one), middle_ranks(other)
    if not float(first.std()) * float(second.std()):
        return 1.0
    return float(np.corrcoef(first, second)[0, 1])


def _said(names: Sequence[str]) -> str:
    them = "is" if len(names) == 1 else "are"
    return (
        f"{enumerated(names)} {them} the original under other names: nearly every released value goes "
        f"with one original value. {WHY}"
    )


def _original_values(alignment: Alignment, name: str, there: str) -> Codes | None:
    """The released column in original values; None where these are not it under other names."""
    assert alignment.rows is not None
    shared = share(alignment.released, alignment.original, {name: there})[name]
    found = ValuePairs.of(shared, *alignment.rows)
    if found is None or not below(found.own, 1 - MOST_CHANGED):
        return None
    original, released = shared.other, shared.released
    labels = not shared.fits.codes and numbers_of(released) is None
    one_to_one = found.recurring and found.better and found.one_to_one >= MANY
    told = found.determined and found.told - found.own > MOSTLY * (1 - found.own)
    nearly = found.one_to_one >= NEARLY_ALL and (labels or _same_order(original, released, found))
    if not (one_to_one or told or nearly):
        return None
    return found.original_values()


def _same_order(original: Codes, released: Codes, found: ValuePairs) -> bool:
    """Whether both are numbers or days in the same order, or in the opposite one."""
    ours, theirs = in_order(original), in_order(released)
    if ours is None or theirs is None:
        return False
    one, other = middle_ranks(ours[found.mine]), middle_ranks(theirs[found.yours])
    if np.isnan(one).any() or np.isnan(other).any() or len(one) < 3:
        return False
    same = max(np.isclose(one, other).mean(), np.isclose(one, 1 - other).mean())
    return bool(same >= NEARLY_ALL)
