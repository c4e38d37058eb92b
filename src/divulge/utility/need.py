"""Utility after the fact: how well released data answer a need that was put into words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from divulge._support.seeds import SEED
from divulge._support.small_counts import beside, hidden
from divulge._support.wording import value_label
from divulge.errors import EmptySource, PolicyError, attribute_suggestion, listed_attributes
from divulge.measures import get
from divulge.policy.place import PolicyPlace
from divulge.questions.data import Data
from divulge.questions.question import Question
from divulge.readings.class_values import ValueReading, printed
from divulge.readings.reading import AtChance, Reading
from divulge.table.partition import Partition
from divulge.utility.value_chance import ValueChance

MOST_LINES = 20


@dataclass(frozen=True, eq=False)
class Need:
    """What data are used for: to predict the target from the keys, in groups of values that matter.

    ``at_least`` is the utility that is enough for them.
    """

    name: str
    keys: tuple[str, ...]
    target: str
    partitions: Mapping[str, Partition] = field(default_factory=dict)
    at_least: float | None = None
    place: PolicyPlace = field(default=PolicyPlace("the need"), repr=False)

    def renamed(self, columns: Mapping[str, str]) -> Need:
        """The same need of data whose attributes are called otherwise."""
        return replace(
            self,
            keys=tuple(columns.get(name, name) for name in self.keys),
            target=columns.get(self.target, self.target),
            partitions={columns.get(name, name): groups for name, groups in self.partitions.items()},
        )


@dataclass(frozen=True)
class NeedLine:
    """What one combination of key values does for a need; its name only if values may be shown.

    ``chance`` is what as many records drawn at random would do, ``adjusted`` the utility beyond that: 0 at
    chance, below 0 where the value tells less of the target than the whole table. Both are None where chance
    has no say, and where records are so few that chance would reveal their number.
    """

    label: str
    records: int | str
    utility: float | None
    chance: float | None = None
    adjusted: float | None = None


@dataclass(frozen=True)
class NeedReading:
    """How well data answer a need: 0 not at all, 1 if every combination of keys determines the target.

    ``counted`` of ``records`` records entered it; the others have all their keys suppressed, or a value
    missing that is a reason to drop them. ``enough`` is None where no least utility was named or none was
    found.
    """

    name: str
    keys: tuple[str, ...]
    target: str
    utility: float | None
    chance: float | None
    adjusted: float | None
    at_least: float | None
    enough: bool | None
    undefined: str | None
    records: int
    counted: int = field(repr=False)
    lines: tuple[NeedLine, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        found = {**asdict(self), "keys": list(self.keys), "lines": [asdict(line) for line in self.lines]}
        return {**found, "counted": hidden(self.counted, of=self.records)}


def utility(
    data: Data, need: Need, *, seed: int = SEED, show_values: bool = False, most: int = MOST_LINES
) -> NeedReading:
    """The semantic discrimination rate of the keys over the target, whole and by value, most useful first.

    >>> from divulge.questions.data import read
    >>> need = Need("treatment", ("age",), "disease")
    >>> table = read({"age": ["2*", "2*", "3*", "3*"], "disease": ["flu", "flu", "flu", "cold"]})
    >>> round(utility(table, need).utility, 4)
    0.3837
    """
    _check_attributes(data, need)
    question = Question(data, need.keys, (need.target,), need.partitions)
    rate = get("discrimination_rate")
    reading = Reading(rate, {}, question, AtChance(question, [(rate, {})], seed=seed))
    try:
        value, undefined = reading.value, reading.undefined
    except EmptySource as error:
        value, undefined = None, error.message[:1].lower() + error.message[1:].rstrip(".")
    defined = value is not None
    return NeedReading(
        need.name,
        need.keys,
        need.target,
        value,
        reading.chance if defined else None,
        reading.adjusted if defined else None,
        need.at_least,
        None if value is None or need.at_least is None else value >= need.at_least,
        undefined,
        data.records,
        question.records,
        tuple(_lines(reading.riskiest(most), question, show_values)) if defined else (),
    )


def _check_attributes(data: Data, need: Need) -> None:
    known = data.schema.attributes
    named = [(need.place / "keys", name) for name in need.keys] + [(need.place / "target", need.target)]
    for place, name in named:
        if name not in known:
            raise _unknown(place, name, known)


def _unknown(place: PolicyPlace, name: str, known: tuple[str, ...]) -> PolicyError:
    hint = attribute_suggestion(name, known) or f"They have {listed_attributes(known)}."
    return place.error(f"the data have no attribute '{name}'.", hint)


def _lines(found: list[ValueReading], question: Question, show_values: bool) -> list[NeedLine]:
    chance = ValueChance(question.counts)
    return [
        NeedLine(
            ", ".join(value_label(value) for value in line.key.values()) if show_values else f"value {place}",
            said,
            beside(line.value, said, named=show_values),
            *(
                None if found is None else beside(found, said, named=show_values, certain=None)
                for found in chance.beside(line.value, line.records)
            ),
        )
        for place, ((line,), said) in enumerate(printed([(one,) for one in found], question), 1)
    ]
