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
from divulge.attacks.changed_values.correspondence import in_order, middle_ranks
from divulge.attacks.changed_values.truth import MOST_CHANGED, Truth, labelled, unrecognised
from divulge.attacks.linkage.candidates import Mask, SharedAttribute, share
from divulge.table.codes import MISSING, Codes, narrow

NEARLY_ALL = 0.99  # of the records, whose values have to go one to one
RECURRING = 20  # records with a value that another has, from which on these say that values go one to one
MOSTLY = 0.5  # of the records
FAINT = 0.1  # correlation of ranks, below which numbers have nothing to do with each other
WHY = "Whoever knows how, or sorts both tables, reads them as such, and so they are read here."


def decoded(alignment: Alignment) -> tuple[Alignment, list[str]]:
    """The alignment with original values in place of the released ones that go with them one to one.

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
    if not names:
        return alignment, []
    return replace(alignment, released=released), [_said(names)]


def unread_keys(truth: Truth) -> list[str]:
    """The released quasi-identifiers whose values may be original ones in a code that could not be read.

    Most are labels that no original value is known behind, or numbers that have nothing to do with the
    original ones: as many different ones, and in no order of theirs. Large noise makes such numbers, and so
    does a key.
    """
    assert truth.alignment.rows is not None
    ours, theirs = truth.alignment.rows
    return [
        truth.alignment.columns[name]
        for name, one in truth.shared.items()
        if labelled(one)[theirs].mean() > MOSTLY or _unrelated(one, ours, theirs)
    ]


def _unrelated(shared: SharedAttribute, ours: IntArray, theirs: IntArray) -> bool:
    """Whether numbers that no original has go with the originals one to one, and not by order."""
    if unrecognised(shared) <= MOSTLY:
        return False
    numbers, others = numbers_of(shared.other), numbers_of(shared.released)
    if numbers is None or others is None:
        return False
    one, other = numbers[ours], others[theirs]
    known = ~np.isnan(one) & ~np.isnan(other)
    one, other = one[known], other[known]
    if len(one) < RECURRING or min(np.unique(one).size, np.unique(other).size) < NEARLY_ALL * len(one):
        return False
    related = float(np.corrcoef(middle_ranks(one), middle_ranks(other))[0, 1])
    return abs(related) < max(FAINT, 3 / math.sqrt(len(one)))


def _said(names: Sequence[str]) -> str:
    them = "is" if len(names) == 1 else "are"
    return (
        f"{enumerated(names)} {them} the original under other names: released values go with original ones "
        f"one to one. {WHY}"
    )


def _original_values(alignment: Alignment, name: str, there: str) -> Codes | None:
    """The released column in original values; None where these are not it under other names."""
    assert alignment.rows is not None
    ours, theirs = alignment.rows
    original, released = alignment.original.column(name), alignment.released.column(there)
    shared = share(alignment.released, alignment.original, {name: there})[name]
    if not below(shared.holds(theirs, ours).mean(), 1 - MOST_CHANGED):
        return None
    mine, yours = original.codes[ours].astype(np.int64), released.codes[theirs].astype(np.int64)
    shown = (mine != MISSING) & (yours != MISSING) & ~np.isin(yours, sorted(shared.fits.anything))
    if not shown.any():
        return None
    mine, yours = mine[shown], yours[shown]
    pairs, times = np.unique(yours * original.cardinality + mine, return_counts=True)
    code, value = np.divmod(pairs, original.cardinality)
    by_code, by_value = _most(code, times), _most(value, times)
    both = by_code & by_value
    if times[both].sum() < NEARLY_ALL * len(mine):
        return None
    labels = not shared.fits.codes and numbers_of(released) is None
    if not (labels or _recurs(times, by_value, len(mine)) or _same_order(original, released, mine, yours)):
        return None
    return _replaced(original, released, code[by_code], value[by_code])


def _most(one: IntArray, times: IntArray) -> Mask:
    """Of the pairs with each value, the one that most records have."""
    order = np.lexsort((-times, one))
    first = np.ones(len(one), bool)
    first[1:] = one[order][1:] != one[order][:-1]
    found = np.zeros(len(one), bool)
    found[order[first]] = True
    return found


def _recurs(times: IntArray, by_value: Mask, records: int) -> bool:
    """Whether people with the same original value have the same released one, and there are enough of them.

    Where everyone has a value of their own, any values go with these one to one.
    """
    values = int(by_value.sum())
    recurring = records - values
    return recurring >= RECURRING and int(times[by_value].sum()) - values >= NEARLY_ALL * recurring


def _same_order(original: Codes, released: Codes, mine: IntArray, yours: IntArray) -> bool:
    """Whether both are numbers or days in the same order, or in the opposite one."""
    ours, theirs = in_order(original), in_order(released)
    if ours is None or theirs is None:
        return False
    one, other = middle_ranks(ours[mine]), middle_ranks(theirs[yours])
    if np.isnan(one).any() or np.isnan(other).any() or len(one) < 3:
        return False
    same = max(np.isclose(one, other).mean(), np.isclose(one, 1 - other).mean())
    return bool(same >= NEARLY_ALL)


def _replaced(original: Codes, released: Codes, code: IntArray, value: IntArray) -> Codes:
    """The column with each code replaced by its original value; codes that nobody matched has stay."""
    values = list(original.values)
    places = {str(one): place for place, one in enumerate(values, 1)}
    table = np.zeros(released.cardinality, np.int64)
    table[code] = value
    for kept in np.setdiff1d(released.used(), [MISSING, *code]).tolist():
        text = str(released.values[kept - 1])
        if text not in places:
            values.append(released.values[kept - 1])
            places[text] = len(values)
        table[kept] = places[text]
    return Codes(narrow(table[released.codes], len(values)), values)
