"""Released values that are original ones under other names: another unit, another sign, a code for each."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from divulge._support.rounding import below
from divulge._support.threads import cached_property
from divulge._support.wording import enumerated
from divulge.alignment.recognition import IntArray, numbers_of
from divulge.alignment.tables import Alignment
from divulge.attacks.changed_values.correspondence import Floats, in_order, middle_ranks
from divulge.attacks.changed_values.truth import MOST_CHANGED, Truth, labelled, unrecognised
from divulge.attacks.linkage.candidates import Mask, SharedAttribute, share
from divulge.table.codes import MISSING, Codes, narrow

NEARLY_ALL = 0.99  # of the records, whose values have to go one to one
MANY = 0.8  # of them, where values that recur show that they do
RECURRING = 20  # records with a value that another has, from which on these show it
MOSTLY = 0.5  # of the records
TELLING = 0.25  # of the records that are wrong as they are, from which on a code may be behind them
FAINT = 0.1  # correlation of ranks, below which numbers have nothing to do with each other
WHY = "Someone who knows the code, or sorts both tables, can read them, and so they are read here."


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
    found = _Pairs.of(shared, ours, theirs)
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
        f"{enumerated(names)} {them} the original under other names: released values go with original ones "
        f"one to one, or nearly. {WHY}"
    )


def _original_values(alignment: Alignment, name: str, there: str) -> Codes | None:
    """The released column in original values; None where these are not it under other names."""
    assert alignment.rows is not None
    shared = share(alignment.released, alignment.original, {name: there})[name]
    found = _Pairs.of(shared, *alignment.rows)
    if found is None or not below(found.own, 1 - MOST_CHANGED):
        return None
    original, released = shared.other, shared.released
    labels = not shared.fits.codes and numbers_of(released) is None
    if found.recurring and found.better and found.one_to_one >= MANY:
        pass
    elif found.one_to_one < NEARLY_ALL or not (labels or _same_order(original, released, found)):
        return None
    return _replaced(original, released, found.code[found.by_code], found.value[found.by_code])


@dataclass(frozen=True, eq=False)
class _Pairs:
    """The pairs of a released and an original value, and how many records have each."""

    mine: IntArray  # of each record that shows both, the original code
    yours: IntArray  # and the released one
    code: IntArray  # of each pair, the released code
    value: IntArray  # and the original one
    times: IntArray
    own: float  # the share of the records that hold their own value as it is

    @classmethod
    def of(cls, shared: SharedAttribute, ours: IntArray, theirs: IntArray) -> _Pairs | None:
        """What aligned records show; None where they show nothing."""
        mine = shared.other.codes[ours].astype(np.int64)
        yours = shared.released.codes[theirs].astype(np.int64)
        shown = (mine != MISSING) & (yours != MISSING) & ~np.isin(yours, sorted(shared.fits.anything))
        if not shown.any():
            return None
        own = float(shared.holds(theirs, ours)[shown].mean())
        mine, yours = mine[shown], yours[shown]
        pairs, times = np.unique(yours * shared.other.cardinality + mine, return_counts=True)
        code, value = np.divmod(pairs, shared.other.cardinality)
        return cls(mine, yours, code, value, times, own)

    @cached_property
    def by_code(self) -> Mask:
        """Of the pairs with each released value, the one that most records have."""
        return _most(self.code, self.times)

    @cached_property
    def by_value(self) -> Mask:
        """Of the pairs with each original value, the one that most records have."""
        return _most(self.value, self.times)

    @cached_property
    def one_to_one(self) -> float:
        """The share of the records whose two values are most often together, seen from either."""
        return float(self.times[self.by_code & self.by_value].sum()) / len(self.mine)

    @property
    def better(self) -> bool:
        """Whether values read so are right for most of the records for which they are wrong as they are."""
        return self.one_to_one - self.own > MOSTLY * (1 - self.own)

    @property
    def recurring(self) -> bool:
        """Whether people with the same original value mostly have the same released one, and there are some.

        Where everyone has a value of their own, any values go with these one to one.
        """
        values = int(self.by_value.sum())
        recurring = len(self.mine) - values
        alike = int(self.times[self.by_value].sum()) - values
        return recurring >= RECURRING and alike >= min(MANY, self.one_to_one) * recurring


def _most(one: IntArray, times: IntArray) -> Mask:
    """Of the pairs with each value, the one that most records have."""
    order = np.lexsort((-times, one))
    first = np.ones(len(one), bool)
    first[1:] = one[order][1:] != one[order][:-1]
    found = np.zeros(len(one), bool)
    found[order[first]] = True
    return found


def _same_order(original: Codes, released: Codes, found: _Pairs) -> bool:
    """Whether both are numbers or days in the same order, or in the opposite one."""
    ours, theirs = in_order(original), in_order(released)
    if ours is None or theirs is None:
        return False
    one, other = middle_ranks(ours[found.mine]), middle_ranks(theirs[found.yours])
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
