"""The questions that attacks put to a table; asked by several attacks, each is counted once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from divulge.attacks.outcome import DISCRIMINATION_RATE, AttackReading, reading
from divulge.counts import RECORD, JointCounts
from divulge.data import Data
from divulge.errors import DivulgeError, Undefined
from divulge.question import Question

NO_KEYS = "no quasi-identifier of the release is known"
NO_TARGETS = "no sensitive attribute of the release is known"


@dataclass(frozen=True, eq=False)
class Asked:
    """What do these keys tell about this target? The answer, or why there is none."""

    question: Question
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
        return self.question.counts

    @cached_property
    def undefined(self) -> str | None:
        """Why nothing can be told; None when something can."""
        try:
            entropy = self.question.counts.entropy
        except DivulgeError as error:
            return error.message.removesuffix(".")
        return None if entropy > 0 or self.question.about_records else f"{self.target} has one value only"

    @cached_property
    def rate(self) -> float | None:
        """The discrimination rate; None where it is undefined."""
        try:
            return DISCRIMINATION_RATE.compute(self.counts)
        except Undefined:
            return None

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
        return reading(self.keys, self.target, self.counts, named=named, seed=seed)


def ask(data: Data, keys: Sequence[str], target: str = RECORD) -> Asked:
    """The question, remembered with the data, so that attacks after the same thing share its counts."""
    known = data.memo("@asked")
    asked = (id(data), tuple(keys), target)  # data with other roles or conventions share the memo
    if asked not in known:
        known[asked] = Asked(Question(data, tuple(keys), (target,)))
    return known[asked]


def ask_each(data: Data, target: str = RECORD) -> list[Asked]:
    """Each quasi-identifier alone, then all together."""
    keys = data.schema.quasi_identifiers
    alone = [ask(data, (key,), target) for key in keys]
    return [*alone, ask(data, keys, target)] if len(keys) > 1 else alone


def suppressed_keys(data: Data) -> list[str]:
    """The quasi-identifiers that are suppressed on every record."""
    return [
        key
        for key in data.schema.quasi_identifiers
        if (code := data.suppressed_code(key)) is not None and bool((data.column(key).codes == code).all())
    ]


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
