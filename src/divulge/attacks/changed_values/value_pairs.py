"""Which released and original values aligned records have together, and which of them tell the other."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from divulge._support.threads import cached_property
from divulge.alignment.recognition import IntArray
from divulge.attacks.changed_values.correspondence import in_order, middle_ranks
from divulge.attacks.linkage.candidates import Mask, SharedAttribute
from divulge.table.codes import MISSING, Codes

NEARLY_ALL = 0.99  # of the records, whose values have to go one to one
MANY = 0.8  # of them, where values that recur show that they do
RECURRING = 20  # records with a value that another has, from which on these show it
MOSTLY = 0.5  # of the records


@dataclass(frozen=True, eq=False)
class ValuePairs:
    """The pairs of a released and an original value, and how many records have each."""

    original: Codes
    released: Codes
    mine: IntArray  # of each record that shows both, the original code
    yours: IntArray  # and the released one
    code: IntArray  # of each pair, the released code
    value: IntArray  # and the original one
    times: IntArray
    own: float  # the share of the records that hold their own value as it is

    @classmethod
    def of(cls, shared: SharedAttribute, ours: IntArray, theirs: IntArray) -> ValuePairs | None:
        """What aligned records show; None where they show nothing."""
        hidden = sorted(shared.fits.anything)
        found = cls.between(shared.other, shared.released, ours, theirs, hidden)
        if found is None:
            return None
        shown = _shown(shared.other, shared.released, ours, theirs, hidden)
        own = float(shared.holds(theirs, ours)[shown].mean())
        return cls(**{**vars(found), "own": own})

    @classmethod
    def between(
        cls,
        original: Codes,
        released: Codes,
        ours: IntArray,
        theirs: IntArray,
        hidden: Collection[int] = (),
    ) -> ValuePairs | None:
        """The same of any two columns, which do not hold the same values as far as anybody knows."""
        shown = _shown(original, released, ours, theirs, hidden)
        if not shown.any():
            return None
        mine = original.codes[ours].astype(np.int64)[shown]
        yours = released.codes[theirs].astype(np.int64)[shown]
        pairs, times = np.unique(yours * original.cardinality + mine, return_counts=True)
        code, value = np.divmod(pairs, original.cardinality)
        return cls(original, released, mine, yours, code, value, times, 0.0)

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

    @cached_property
    def told(self) -> float:
        """The share of the records that have the original value most others with their released one have."""
        return float(self.times[self.by_code].sum()) / len(self.mine)

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

    @cached_property
    def determined(self) -> bool:
        """Whether people with the same released value have the same original one, nearly all of them.

        There have to be some with the same, who would hardly agree if nothing but how common values are
        decided: where everyone has a code of their own, or most have one value, codes show nothing. There may
        be many codes for one value.
        """
        return _decides(self.code, self.times, self.yours, self.mine)

    @cached_property
    def follows(self) -> bool:
        """The same the other way round: people with the same original value have the same released one."""
        return _decides(self.value, self.times, self.mine, self.yours)

    @cached_property
    def in_order(self) -> float:
        """The correlation of ranks; 0 where one side is no number or day, or is the same for all."""
        ours, theirs = in_order(self.original), in_order(self.released)
        if ours is None or theirs is None or len(self.mine) < RECURRING:
            return 0.0
        one, other = ours[self.mine], theirs[self.yours]
        known = ~np.isnan(one) & ~np.isnan(other)
        first, second = middle_ranks(one[known]), middle_ranks(other[known])
        if known.sum() < RECURRING or not float(first.std()) * float(second.std()):
            return 0.0
        return float(np.corrcoef(first, second)[0, 1])

    @cached_property
    def sorted_alike(self) -> bool:
        """Whether both are numbers or days, and the sorted originals lie where the sorted released ones do.

        So it is where each released number has its original one in its first digits, and others behind.
        """
        ours, theirs = in_order(self.original), in_order(self.released)
        if ours is None or theirs is None or len(self.mine) < RECURRING:
            return False
        one, other = ours[self.mine], theirs[self.yours]
        if np.isnan(one).any() or np.isnan(other).any():
            return False
        common = float((np.bincount(self.mine) ** 2).sum()) / len(self.mine) ** 2
        ordered, places = np.sort(one), np.argsort(other, kind="stable")
        found = max(float((ordered == one[places]).mean()), float((ordered == one[places[::-1]]).mean()))
        return found >= NEARLY_ALL and found - common > MOSTLY * (1 - common)

    def original_values(self) -> Codes:
        """The released column with each code replaced by its original value; codes without one stay."""
        values = list(self.original.values)
        places = {str(one): place for place, one in enumerate(values, 1)}
        code = self.code[self.by_code]
        table = np.zeros(self.released.cardinality, np.int64)
        table[code] = self.value[self.by_code]
        for kept in np.setdiff1d(self.released.used(), [MISSING, *code]).tolist():
            text = str(self.released.values[kept - 1])
            if text not in places:
                values.append(self.released.values[kept - 1])
                places[text] = len(values)
            table[kept] = places[text]
        return self.released.recode(table, values)


def _decides(one: IntArray, times: IntArray, of: IntArray, other: IntArray) -> bool:
    """Whether the values of one side of pairs decide the other side, where they recur.

    ``of`` and ``other`` are the two values of each record.
    """
    most = _most(one, times)
    values = int(most.sum())
    recurring = len(of) - values
    if recurring < RECURRING:
        return False
    alike = (int(times[most].sum()) - values) / recurring
    often = np.bincount(of)[of] > 1
    common = float(np.bincount(other[often]).max()) / int(often.sum())
    return alike >= NEARLY_ALL and alike - common > MOSTLY * (1 - common)


def _shown(
    original: Codes, released: Codes, ours: IntArray, theirs: IntArray, hidden: Collection[int]
) -> Mask:
    """The aligned records that show both values."""
    shown = (original.codes[ours] != MISSING) & (released.codes[theirs] != MISSING)
    return shown & ~np.isin(released.codes[theirs], list(hidden)) if hidden else shown


def _most(one: IntArray, times: IntArray) -> Mask:
    """Of the pairs with each value, the one that most records have."""
    order = np.lexsort((-times, one))
    first = np.ones(len(one), bool)
    first[1:] = one[order][1:] != one[order][:-1]
    found = np.zeros(len(one), bool)
    found[order[first]] = True
    return found
