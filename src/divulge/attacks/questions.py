"""The questions that attacks put to a table; asked by several attacks, each is counted once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from divulge._support.threads import cached_property
from divulge.attacks.outcome import (
    DISCRIMINATION_RATE,
    AttackReading,
    Outcome,
    mean_rate,
    reading,
    told_by_others,
    why,
)
from divulge.attacks.suppression.least_risk import least_told
from divulge.attacks.suppression.suppressed_cells import SureCells, told_rate
from divulge.counting.counts import RECORD, JointCounts
from divulge.counting.wildcard import missing_in
from divulge.errors import DivulgeError, Undefined
from divulge.questions.data import Data
from divulge.questions.question import Question
from divulge.readings.chance import Chance

NO_KEYS = "no quasi-identifier of the release is known"
NO_TARGETS = "no sensitive attribute of the release is known"


@dataclass(frozen=True, eq=False)
class AttackQuestion:
    """What do these keys tell about this target? The answer, or why there is none.

    A question about one key counts suppressed cells as a class, that of the ``mark``.
    """

    question: Question
    mark: str | None = None
    _readings: dict[Any, AttackReading] = field(default_factory=dict, repr=False)

    @property
    def keys(self) -> tuple[str, ...]:
        return self.question.keys

    @property
    def target(self) -> str:
        return self.question.target_name

    @property
    def counts(self) -> JointCounts:
        """The joint counts; Undefined where there is nothing to count or nothing to tell."""
        if self.undefined is not None:
            raise Undefined(self.undefined)
        return self.question.counts.in_cells()

    @cached_property
    def undefined(self) -> str | None:
        """Why nothing can be told; None when something can."""
        try:
            entropy = self.question.counts.in_cells().entropy
        except DivulgeError as error:
            return error.message.removesuffix(".")
        return None if entropy > 0 or self.question.about_records else f"{self.target} has one value only"

    @cached_property
    def rate(self) -> float | None:
        """The discrimination rate; None where it is undefined."""
        try:
            rate = DISCRIMINATION_RATE.compute(self.counts)
        except Undefined:
            return None
        plain = AttackReading(self.keys, self.target, rate)
        return self.as_told(plain, lambda counts: counts).discrimination_rate

    @cached_property
    def hidden(self) -> int | None:
        """The place of the class of suppressed cells; None where there is none."""
        if self.mark is None or self.undefined is not None:
            return None
        counts = self.question.classes
        assert counts.decode is not None
        labels = [str(key[self.keys[0]]) for key in counts.decode(np.arange(len(counts.size)))]
        return labels.index(self.mark) if self.mark in labels else None

    @property
    def fitting(self) -> JointCounts:
        """The counts of records by who they could be; Undefined where there is nothing to tell."""
        counts = self.counts  # where people have several records, classes are looked up one by one
        wide = self.question.fitting
        return self.question.classes if wide is counts and counts.subjects is not None else wide

    @property
    def overlaps(self) -> bool:
        """Whether suppressed cells make records fit several classes."""
        return self.question.fitting.overlapping and not self.question.counts.overlapping

    @cached_property
    def shown(self) -> npt.NDArray[np.bool_]:
        """For each class whether none of its keys is suppressed."""
        columns = {key: self.question.column(key) for key in self.keys}
        return np.logical_not(missing_in(columns, self.question.suppressed_codes()).max(axis=1))

    @cached_property
    def cells(self) -> SureCells:
        """The cells of each class as released, and what others that suppressed cells make fit may add."""
        counts = self.question.counts.in_cells()
        if counts.cells is None:
            raise Undefined("it compares target values, and with @record every record is its own value")
        if not self.overlaps:
            return SureCells.of(counts)
        return SureCells.between(self.question.classes, self.question.fitting, self.shown)

    @cached_property
    def parts(self) -> tuple[AttackQuestion, ...]:
        """All keys, and of those with fewest suppressed cells ever fewer: they never tell more than all do.

        Where a key is suppressed nearly everywhere, all keys together may tell nothing for sure, while the
        others still tell what they tell.
        """
        question = self.question
        codes = question.suppressed_codes()
        stars = {key: int(np.isin(question.column(key).codes, marks).sum()) for key, marks in codes.items()}
        order = sorted(self.keys, key=lambda key: stars.get(key, 0))
        fewest = len(self.keys) - len(stars)
        fewer = [order[:size] for size in range(max(fewest, 1), len(order))]
        return (self, *(AttackQuestion(question.with_keys(tuple(keys))) for keys in fewer))

    def told_of(self, merge: Callable[[JointCounts], JointCounts]) -> float:
        """The least bits that these keys together may tell about a target with its values in groups."""
        exact, wide = merge(self.question.classes), merge(self.question.fitting)
        if wide.cells is None:
            return least_told(exact, wide, None, self.of)
        sure = SureCells.between(exact, wide, self.shown) if self.overlaps else SureCells.of(exact)
        return least_told(exact, wide, sure, self.of)

    @property
    def of(self) -> int:
        """All records, those among them whose keys are all suppressed: these are told nothing about."""
        return self.question.counts.records + self.question.suppressed_records

    def as_told(self, one: AttackReading, merge: Callable[[JointCounts], JointCounts]) -> AttackReading:
        """A reading in which suppressed cells tell nothing of a key alone, and fit any value of several.

        ``merge`` puts target values of counts into groups.
        """
        if one.discrimination_rate is None or not (self.overlaps or self.hidden is not None):
            return one
        exact = merge(self.question.classes)
        if self.hidden is not None:
            rate = told_rate(exact, self.hidden)
            return replace(one, discrimination_rate=rate, adjusted=Chance(one.chance).adjusted(rate, 1.0))
        bits = float(np.log2(self.of)) if exact.cells is None else exact.entropy
        rate = max(part.told_of(merge) for part in self.parts) / bits
        return replace(one, discrimination_rate=rate, chance=None, adjusted=None)

    def reading(self, *, show_values: bool = False, seed: int | None = None) -> AttackReading:
        """The rates, overall and by value."""
        asked = (show_values, seed)
        if asked not in self._readings:
            self._readings[asked] = self._read(show_values, seed)
        return self._readings[asked]

    def _read(self, show_values: bool, seed: int | None) -> AttackReading:
        if self.undefined is not None:
            return AttackReading(self.keys, self.target, undefined=self.undefined)
        named = (lambda: self.question.classes) if show_values else None
        found = reading(self.keys, self.target, self.counts, named=named, seed=seed)
        return self.as_told(found, lambda counts: counts)


def ask(data: Data, keys: Sequence[str], target: str = RECORD) -> AttackQuestion:
    """The question, remembered with the data, so that attacks after the same thing share its counts."""
    known = data.memo("@asked")
    asked = (id(data), tuple(keys), target)  # data with other roles or conventions share the memo
    if asked not in known:
        known[asked] = AttackQuestion(Question(data, tuple(keys), (target,)))
    return known[asked]


def ask_alone(data: Data, key: str, target: str = RECORD) -> AttackQuestion:
    """What does one quasi-identifier tell, on all records, those with a suppressed cell among them?"""
    if data.suppressed_code(key) is None or _throughout(data, key):
        return ask(data, (key,), target)
    known, asked = data.memo("@asked"), (id(data), key, target)
    if asked not in known:
        known[asked] = AttackQuestion(
            Question(replace(data, suppressed=None), (key,), (target,)), data.suppressed
        )
    return known[asked]


def ask_each(data: Data, target: str = RECORD) -> list[AttackQuestion]:
    """Each quasi-identifier alone, then all together."""
    keys = data.schema.quasi_identifiers
    alone = [ask_alone(data, key, target) for key in keys]
    return [*alone, ask(data, keys, target)] if len(keys) > 1 else alone


def suppressed_keys(data: Data) -> list[str]:
    """The quasi-identifiers that are suppressed on every record."""
    return [key for key in data.schema.quasi_identifiers if _throughout(data, key)]


def _throughout(data: Data, key: str) -> bool:
    """Whether every cell of a key is suppressed."""
    code = data.suppressed_code(key)
    return code is not None and bool((data.column(key).codes == code).all())


def lacking(data: Data) -> str | None:
    """Why the inference of an attribute cannot be tried on a table; None when it can."""
    if not data.schema.quasi_identifiers:
        return NO_KEYS
    return None if data.schema.sensitive else NO_TARGETS


def infer(data: Data, targets: Sequence[str], *, show_values: bool, seed: int) -> list[AttackReading]:
    """What each quasi-identifier, and all together, tell about each target."""
    return [
        one.reading(show_values=show_values, seed=seed)
        for target in targets
        for one in ask_each(data, target)
    ]


def inferred(outcome: Outcome, data: Data, *, show_values: bool, seed: int) -> Outcome:
    """The outcome with its risk: what quasi-identifiers tell about sensitive attributes; or why it failed."""
    reason = lacking(data)
    if reason is not None:
        return outcome.failed(reason)
    readings = infer(data, data.schema.sensitive, show_values=show_values, seed=seed)
    hidden = suppressed_keys(data)
    risk = mean_rate(readings, hidden)
    if risk is None:
        return outcome.failed(why(readings), readings)
    return replace(outcome, risk=risk, readings=readings, details=told_by_others(readings, hidden))
