"""Whether released values are the people's own: where they are not, what attackers find is about nobody."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from divulge._support.threads import cached_property
from divulge._support.wording import enumerated, share_in_percent
from divulge.alignment.recognition import Groups, IntArray, numbers_of
from divulge.alignment.tables import Alignment
from divulge.attacks.linkage.candidates import UNKNOWN, Links, Mask, SharedAttribute, link, share
from divulge.table.codes import MISSING, as_number

Floats = npt.NDArray[np.float64]
MOST_CHANGED = (
    0.05  # of the records whose values may differ while readings of values as they stand still hold
)
MADE_UP = "so values were changed or made up"
TOO_MANY = "have values that too few original records have"
NAME_AN_IDENTIFIER = "name an identifier that both tables have (--by) to match people"


@dataclass(frozen=True, eq=False)
class Truth:
    """Released records beside the original ones they may be about, and beside their own where it is known."""

    alignment: Alignment
    shared: Mapping[str, SharedAttribute]  # the quasi-identifiers that both tables have
    links: Links
    made_up: str | None = None  # that no released record is anybody's, where the recipe says so

    @classmethod
    def of(
        cls, alignment: Alignment, groups: Mapping[str, Groups] | None = None, made_up: str | None = None
    ) -> Truth | None:
        """What can be known; None where the release has none of the quasi-identifiers."""
        kept = {
            name: alignment.columns[name]
            for name in alignment.original.schema.quasi_identifiers
            if name in alignment.columns
        }
        if not kept:
            return None
        shared = share(alignment.released, alignment.original, kept, groups)
        return cls(alignment, shared, link(list(shared.values())), made_up)

    @cached_property
    def invented(self) -> Mask:
        """Released records with a number that no original record has."""
        return np.logical_or.reduce([_invented(one) for one in self.shared.values()])

    @cached_property
    def judged(self) -> Mask:
        """Released records of which it can be said whether an original record fits them."""
        return self.links.compared | self.invented

    @cached_property
    def strangers(self) -> float | None:
        """The share of judged records that fit no original record at all."""
        if not self.judged.any():
            return None
        return float((~self.links.matched | self.invented)[self.judged].mean())

    @cached_property
    def too_many(self) -> float:
        """The share of judged records for which no original record is left; those that fit nobody count."""
        if not self.judged.any():
            return 0.0
        return float(np.where(self.invented, 1.0, self.links.crowded_out)[self.judged].mean())

    @cached_property
    def own(self) -> Mask | None:
        """For each aligned record, whether its keys may stand for those of its own original.

        What cannot be judged is taken to be.
        """
        if self.alignment.rows is None:
            return None
        ours, theirs = self.alignment.rows
        fits = np.logical_and.reduce([one.holds(theirs, ours) for one in self.shared.values()])
        return fits | ~self.judged[theirs]

    @cached_property
    def fitting(self) -> float | None:
        """The share of aligned, judged records that fit their own original; None where that is not known."""
        if self.own is None or self.alignment.rows is None:
            return None
        judged = self.judged[self.alignment.rows[1]]
        return float(self.own[judged].mean()) if judged.any() else None

    @property
    def unfitting(self) -> str | None:
        """The share of them that do not, as far as it may be said; None where all do, or it is not known."""
        if self.fitting is None or self.fitting == 1 or self.alignment.rows is None:
            return None
        return share_in_percent(1 - self.fitting, int(self.judged[self.alignment.rows[1]].sum()))

    @cached_property
    def changed(self) -> str | None:
        """That released keys are not the people's own values, in words; None where they may well be.

        Without identifiers that shows by records that fit nobody, or by more records with some values than
        there are originals for them, whatever the order of rows.
        """
        if self.made_up is not None:
            return self.made_up
        if self.strangers is not None and self.strangers > MOST_CHANGED:
            some = share_in_percent(self.strangers, int(self.judged.sum()))
            return f"{some} of {self._whom} fit no original record, {MADE_UP}{self._or_misread}"
        if self.alignment.identified and self.fitting is not None and 1 - self.fitting > MOST_CHANGED:
            what = f"{self.unfitting} of the released records do not fit their own original"
            return f"{what}, so values were changed{self._or_misread}"
        if self.too_many > MOST_CHANGED:
            some = share_in_percent(self.too_many, int(self.judged.sum()))
            return f"{some} of {self._whom} {TOO_MANY}, {MADE_UP}{self._or_misread}"
        return None

    @property
    def _whom(self) -> str:
        """The records that shares are of."""
        return f"the released records{'' if self.judged.all() else ' that can be compared'}"

    @property
    def _or_misread(self) -> str:
        return or_misread(self.alignment, self.shared)

    @property
    def unknown(self) -> str | None:
        """Why it cannot be counted whom released values concern; None where it can."""
        if self.changed is None or self.alignment.rows is not None:
            return None
        return self.made_up or f"{self.changed}; {NAME_AN_IDENTIFIER}"

    def holds(self, targets: Sequence[str]) -> dict[str, Mask]:
        """For each sensitive attribute of the original, whether aligned records hold their own value."""
        if self.alignment.rows is None:
            return {}
        ours, theirs = self.alignment.rows
        columns = {name: self.alignment.columns[name] for name in targets if name in self.alignment.columns}
        shared = share(self.alignment.released, self.alignment.original, columns)
        return {name: one.holds(theirs, ours) | labelled(one)[theirs] for name, one in shared.items()}


def unread(alignment: Alignment, shared: Mapping[str, SharedAttribute]) -> str | None:
    """Which attributes hold values that say nothing without rows or hierarchies; None where all are known."""
    if alignment.rows is not None:
        return None
    names = [name for name, one in shared.items() if unrecognised(one) > MOST_CHANGED]
    if not names:
        return None
    return (
        f"it is not known what values of {enumerated(names)} mean: give a hierarchy (--hierarchy), or name "
        "an identifier that both tables have (--by)"
    )


def or_misread(alignment: Alignment, shared: Mapping[str, SharedAttribute]) -> str:
    """That values may mean something else than they say, where no hierarchy says what they mean.

    The value 20-24 is then read as the numbers from 20 to 24, and may be the name of another group.
    """
    original, released = alignment.original.hierarchies, alignment.released.hierarchies
    names = [
        name
        for name, one in shared.items()
        if name not in original and alignment.columns[name] not in released and _spelled(one)
    ]
    if not names:
        return ""
    return f" (or values of {enumerated(names)} mean something else than they say: give --hierarchy)"


def _spelled(shared: SharedAttribute) -> bool:
    """Whether released values stand for original ones that are spelled otherwise, and are no numbers."""
    known = set(map(str, shared.other.values))
    texts = [str(shared.released.values[code - 1]) for code in shared.fits.codes if code != MISSING]
    return any(text not in known and math.isnan(as_number(text)) for text in texts)


def unrecognised(shared: SharedAttribute) -> float:
    """The share of released records whose value was not recognised."""
    return float(np.isin(shared.released.codes, list(shared.fits.unknown)).mean())


def unknown_numbers(shared: SharedAttribute) -> IntArray:
    """Released codes that are numbers which no original record has, where the originals are numbers."""
    unknown = np.asarray(sorted(shared.fits.unknown), np.int64)
    if not len(unknown) or numbers_of(shared.other) is None:
        return unknown[:0]
    numbers = np.asarray([*map(as_number, shared.released.values_of(unknown))])
    return unknown[np.isfinite(numbers)]


def _invented(shared: SharedAttribute) -> Mask:
    return np.isin(shared.released.codes, unknown_numbers(shared))


def labelled(shared: SharedAttribute) -> Mask:
    """Records with a value that was not recognised and is no number: the name of a group, it may be."""
    return (shared.layers() == UNKNOWN) & ~_invented(shared)
