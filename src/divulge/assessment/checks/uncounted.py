"""People in groups too small to be counted for what is learned: they are left to singling out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from divulge._support.rounding import below
from divulge._support.small_counts import hidden_part, leaves_few, to_tens
from divulge._support.wording import enumerated, in_words, many
from divulge.assessment.checks.singled_out import risks
from divulge.assessment.inference.revealing_groups import SMALLEST
from divulge.assessment.scope import Scope
from divulge.errors import EmptySource, Undefined

MOST = 0.5  # the share of people beyond which a check that does not count them has no verdict
MANY = 1 / 3  # the share beyond which what several keys reveal together is not seen
FEW_KEYS = 3  # that a sentence names
_COMPARED = 12  # sizes of groups up to which counts of people may stand beside this one


@dataclass(frozen=True)
class Uncounted:
    """People in groups smaller than three, of how many, how that may be said, and who has no group."""

    people: int = field(repr=False)
    of: int
    shown: int | str
    left_out: int = field(default=0, repr=False)
    sampled: bool = False  # whether they are too few of all people alike to say anything of these

    @property
    def many(self) -> bool:
        """Whether they are, with those who are in no group, more than a third of the people."""
        return self.people + self.left_out > MANY * self.of

    def because(self, target: str) -> str:
        """Why they are not counted for what is learned about a target."""
        if self.sampled:
            return f"too few to say what all people alike have in {target}"
        return f"where singling someone out can reveal {target}"

    @property
    def most(self) -> bool:
        """Whether they are, with those who are in no group, more than half of the people."""
        return self.people + self.left_out > MOST * self.of

    @property
    def where(self) -> str:
        """Where they are, in words; who has no group is counted out elsewhere."""
        others = " or in none" if self.left_out else ""
        return f"in groups smaller than {SMALLEST}{others}"

    @property
    def some_of(self) -> str:
        """How many of all people they are, in words."""
        return f"{in_words(self.shown)} of {many(self.of)} people"

    def sentence(self, keys: Sequence[str], *, every: bool) -> str:
        """That they are not counted, in groups on these keys, which may be ``every`` quasi-identifier."""
        if len(keys) == 1:
            return f"Groups smaller than {SMALLEST} are not counted here; {self.some_of} are in them."
        whole = f"{'all ' if every else ''}{len(keys)} quasi-identifiers"
        named = enumerated(keys) if len(keys) <= FEW_KEYS else whole
        return (
            f"On {named} together, {self.some_of} are in groups smaller than {SMALLEST}; what those reveal "
            "is not counted."
        )


def uncounted(scope: Scope, keys: Sequence[str], certain: float) -> Uncounted | None:
    """The people in groups smaller than three that could reveal a value; None where there are none.

    In a sample a group that small hardly ever can: it would have to be all people alike. Where most people
    are in such groups, what the sample says of the others is no answer either.
    """
    found = _in_groups(scope, keys, _revealing(scope, certain))
    if (found is not None and found.most) or not sampled(scope):
        return found
    small = _in_groups(scope, keys, np.arange(1, SMALLEST))
    return replace(small, sampled=True) if small is not None and small.most else found


def unseen(scope: Scope, keys: Sequence[str], certain: float) -> Uncounted | None:
    """The people of a sample in groups smaller than three, where they are more than a third; otherwise None.

    Whatever such groups show says nothing of all people alike. Where nearly everyone was drawn it does, and
    then these people are not counted.
    """
    if not sampled(scope):
        return None
    aside = _in_groups(scope, keys, _revealing(scope, certain))
    if aside is not None and aside.most:
        return None
    found = _in_groups(scope, keys, np.arange(1, SMALLEST))
    return found if found is not None and found.many else None


def _revealing(scope: Scope, certain: float) -> npt.NDArray[Any]:
    """The sizes below three in which all having a value says that all people alike have it."""
    whole = np.arange(1, SMALLEST)
    return whole[~below(scope.sample.believed(whole, whole), certain)]


def sampled(scope: Scope) -> bool:
    """Whether the table is a sample by what was said of it, as far as that can be counted."""
    try:
        return scope.sample.partial
    except Undefined:
        return False  # and then no check of people is evaluated


def _in_groups(scope: Scope, keys: Sequence[str], of_sizes: npt.NDArray[Any]) -> Uncounted | None:
    try:
        sizes, people = _people_by_size(scope, keys)
    except (EmptySource, Undefined):
        return None
    found = int(people[np.isin(sizes, of_sizes)].sum())
    if not found:
        return None
    others = [int(people[sizes < size].sum()) for size in range(2, _COMPARED)]
    everyone = max(scope.people, found)
    left_out = max(everyone - int(people.sum()), 0)
    return Uncounted(found, everyone, _shown(found, everyone, others), left_out)


def _shown(found: int, everyone: int, others: Sequence[int]) -> int | str:
    """How many they are, to the nearest ten where beside numbers of other small groups it would leave few."""
    shown = hidden_part(found, of=everyone)
    if isinstance(shown, str) or found == everyone or not leaves_few(found, others):
        return shown
    tens = to_tens(found)
    return tens if int(tens[1:]) < everyone else f">{everyone // 2}"


def _people_by_size(scope: Scope, keys: Sequence[str]) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """The sizes of groups, and how many people are in groups of each."""
    if scope.sample.partial:
        counts = scope.question(keys).counts
        times = 1 if counts.multiplicity is None else counts.multiplicity
        return counts.people, counts.members * times
    risk, often, _ = risks(scope, keys)
    return np.rint(1 / risk), often
