"""The checks of a policy on the records of a window, kept current while records come and go."""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, repeat
from typing import Any

from divulge.assessment.checks.all_checks import AnyCheck, every_check
from divulge.assessment.checks.table_check import TableCheck
from divulge.assessment.checks.threshold_check import Check
from divulge.assessment.population.declared import sampled_from
from divulge.assessment.scope import Scope
from divulge.counting.counts import RECORD
from divulge.errors import EmptySource, ParameterError, Undefined
from divulge.policy import Policy, Threshold
from divulge.streams.moving_counts import MovingCounts, follows
from divulge.streams.stream_values import OUTSIDE, StreamValues
from divulge.streams.window import Window
from divulge.table.schema import Role

Columns = dict[str, list[Any]]
EVERYONE = "everyone"  # the one target value where records are not told apart
Asked = tuple[tuple[str, ...], tuple[str, ...]]  # keys and target of a question


@dataclass(frozen=True, eq=False)
class Followed:
    """A threshold on one target whose reading follows the classes that change."""

    threshold: Threshold
    asked: Asked
    counts: MovingCounts

    def check(self) -> Check:
        """What is read now, held against the bound."""
        keys, target = self.asked
        now, found, undefined = self.counts.now, None, None
        try:
            if not now.records:
                raise Undefined("no record is counted")
            found = self.threshold.measure.compute(now, self.threshold.parameters)
        except Undefined as error:
            undefined = error.message
        return Check(self.threshold, keys, target, found, undefined, now.records, None, "")


class StreamAssessment:
    """What a policy asks, on the records that are in the window.

    Thresholds that groups tell one by one are followed from change to change. All else that the policy asks
    is read anew from the records of the window.
    """

    def __init__(self, policy: Policy, attributes: Sequence[str], window: Window) -> None:
        self.policy, self.window = policy, window
        self._attributes = tuple(attributes)
        _refuse_unwatched(policy, self._attributes)
        self._values = {name: self._values_of(name) for name in self._attributes}
        self._moving: dict[Asked, MovingCounts] = {}
        self._followed = tuple(self._all_followed())
        self._anew = tuple(self._others())
        self._batches: deque[Columns] = deque()
        self._past = 0  # records of the first batch that have left
        self.outside = 0  # records left out since a value is in no group
        self._gaps: tuple[TableCheck, ...] = ()  # what was not measured, when all checks were read last

    @property
    def records(self) -> int:
        return self.window.held

    @property
    def asks_more(self) -> bool:
        """Whether the policy asks what is not followed."""
        return bool(self._anew)

    # -- what is asked ------------------------------------------------------------------------------------

    def _all_followed(self) -> Iterator[Followed]:
        asked = [
            (threshold, threshold.keys or self._having(Role.QUASI_IDENTIFIER), target)
            for threshold in self.policy.thresholds
            if not threshold.adjusted and follows(threshold.measure, threshold.parameters)
            for target in self._targets(threshold)
        ]
        targets = {keys: target for _, keys, target in asked if target != (RECORD,)}
        alone = (
            bool(self._identifiers) or self.policy.data.missing == "drop"
        )  # then targets differ in who counts
        for threshold, keys, target in asked:
            shared = target if alone or threshold.measure.reads_target else targets.get(keys, target)
            yield Followed(threshold, (keys, target), self._counting(keys, shared))

    def _targets(self, threshold: Threshold) -> list[tuple[str, ...]]:
        if threshold.target is not None:
            return [threshold.target]
        if not threshold.measure.reads_target:
            return [(RECORD,)]
        return [(name,) for name in self._having(Role.SENSITIVE)]

    def _counting(self, keys: tuple[str, ...], target: tuple[str, ...]) -> MovingCounts:
        if (keys, target) not in self._moving:
            by_person = target == (RECORD,) and bool(self._identifiers)
            name = ", ".join(target)
            self._moving[keys, target] = MovingCounts(keys, name, by_person=by_person)
        return self._moving[keys, target]

    def _others(self) -> list[Any]:
        asked, followed = self.policy, {id(one.threshold) for one in self._followed}
        more: list[Any] = [one for one in asked.thresholds if id(one) not in followed]
        return [*more, *asked.figures, *asked.demands.singled_out, *asked.demands.learned]

    def _having(self, role: Role) -> tuple[str, ...]:
        return tuple(name for name, rule in self.policy.attributes.items() if rule.role is role)

    @property
    def _identifiers(self) -> tuple[str, ...]:
        return tuple(name for name in self._having(Role.IDENTIFIER) if name in self._attributes)

    def _values_of(self, name: str) -> StreamValues:
        rule = self.policy.attributes.get(name)
        return StreamValues(self.policy.data.missing_values, None if rule is None else rule.partition)

    # -- what comes ---------------------------------------------------------------------------------------

    def add(self, columns: Columns, now: float) -> None:
        """Records that have come, by attribute, at a time in seconds; the window decides who leaves."""
        number = len(next(iter(columns.values()), []))
        counted = {name: self._values[name].counted(columns[name]) for name in self._used}
        wrong = _wrong_rows(counted.values())
        if wrong:
            self.outside += len(wrong)
            columns = {name: _without(values, wrong) for name, values in columns.items()}
            counted = {name: _without(values, wrong) for name, values in counted.items()}
            number -= len(wrong)
        leaving = self.window.leaving(number, now)
        for (keys, target), moving in self._moving.items():
            moving.move(*self._placed(counted, keys, target, number), leaving=leaving)
        if number:
            self._batches.append(columns)
        self._forget(leaving)

    @property
    def _used(self) -> set[str]:
        named = chain.from_iterable((*keys, *target) for keys, target in self._moving)
        return {*named, *self._identifiers} - {RECORD}

    def _placed(
        self, counted: Mapping[str, list[Hashable]], keys: Sequence[str], target: Sequence[str], number: int
    ) -> tuple[list[Hashable], list[Hashable]]:
        """The class of each record, None where it is in none, and its target value."""
        parts = [counted[key] for key in keys]
        classes: list[Hashable] = list(zip(*parts, strict=True))
        about = self._identifiers if tuple(target) == (RECORD,) else target
        columns = [counted[name] for name in about]
        values: list[Hashable] = columns[0] if len(about) == 1 else list(zip(*columns, strict=True))
        values = values if about else list(repeat(EVERYONE, number))
        nobody = (self.policy.data.suppressed,) * len(keys)  # a record whose keys are all suppressed
        if self.policy.data.missing == "drop":
            lacking = [_missing(one) or _missing(value) for one, value in zip(classes, values, strict=True)]
            classes = [None if lacks else one for one, lacks in zip(classes, lacking, strict=True)]
        if nobody in classes:
            classes = [None if one == nobody else one for one in classes]
        return classes, values

    def _forget(self, leaving: int) -> None:
        self._past += leaving
        while self._batches and self._past >= _length(self._batches[0]):
            self._past -= _length(self._batches.popleft())

    # -- what is read -------------------------------------------------------------------------------------

    def followed(self) -> list[Check]:
        """The checks that are followed, as they are now."""
        return [one.check() for one in self._followed]

    def followed_and_gaps(self) -> list[AnyCheck]:
        """The same, and what was not measured when everything was read last."""
        return [*self.followed(), *self._gaps]

    def everything(self) -> list[AnyCheck]:
        """All checks of the policy on the records of the window, read anew; of nobody what is followed."""
        data = self.policy.open(self.held())
        try:
            people, everyone = sampled_from(data, self.policy, None, None)
            scope = Scope(data, self.policy.partitions, population=people, everyone=everyone)
            found = every_check(scope, self.policy)
        except EmptySource:
            return [*self.followed()]
        self._gaps = tuple(
            _without_records(one)
            for one in found
            if isinstance(one, TableCheck) and one.measure_name == "measured"
        )
        return found

    def held(self) -> Columns:
        """The records of the window, by attribute."""
        found: Columns = {name: [] for name in self._attributes}
        for place, batch in enumerate(self._batches):
            for name, values in batch.items():
                found[name] += values[self._past :] if place == 0 else values
        return found


def _refuse_unwatched(policy: Policy, attributes: Sequence[str]) -> None:
    """Refuse a policy that names other attributes, or asks what cannot be kept current."""
    policy.open({name: [""] for name in attributes})
    if policy.data.missing == "wildcard":
        raise ParameterError(
            'With missing = "wildcard" a record is in many groups, and each is watched in one.',
            hint='Write missing = "value" or "drop" under [data].',
        )
    if policy.data.weights is not None:
        raise ParameterError(
            "Records that are watched count once each, and the policy names weights.",
            hint="Take weights out of [data], or use divulge check on the whole table.",
        )


def _without_records(check: TableCheck) -> TableCheck:
    """A check that does not keep the records that it was asked of."""
    answer = check.answer
    return replace(check, ask=lambda scope: answer)


def _missing(values: Hashable) -> bool:
    return None in values if isinstance(values, tuple) else values is None


def _length(columns: Columns) -> int:
    return len(next(iter(columns.values()), []))


def _wrong_rows(counted: Iterable[Sequence[Hashable]]) -> set[int]:
    """The rows with a value that no group has."""
    return {
        place
        for values in counted
        if OUTSIDE in values
        for place, value in enumerate(values)
        if value is OUTSIDE
    }


def _without(values: Sequence[Any], rows: set[int]) -> list[Any]:
    return [value for place, value in enumerate(values) if place not in rows]
