"""What an attack found: readings, people affected, and a sentence."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import asdict, dataclass, field, replace
from statistics import fmean
from typing import Any

import numpy as np

from divulge._support.notebook import table_view
from divulge._support.small_counts import FEW, beside, hidden_among
from divulge._support.wording import value_label
from divulge.counting.counts import Integers, JointCounts
from divulge.errors import Undefined
from divulge.measures import get
from divulge.readings import chance as chances
from divulge.readings.chance import Chance

MOST_LINES = 20
DISCRIMINATION_RATE = get("discrimination_rate")
ITPR = get("itpr")


@dataclass(frozen=True)
class ValueLine:
    """What one value of the keys reveals; its name only if values may be shown."""

    label: str
    records: int | str
    discrimination_rate: float | None
    itpr: float | None


@dataclass(frozen=True)
class AttackReading:
    """What one key, or several together, reveal about one target."""

    keys: tuple[str, ...]
    target: str
    discrimination_rate: float | None = None
    itpr: float | None = None
    chance: float | None = None
    adjusted: float | None = None
    undefined: str | None = None
    values: list[ValueLine] = field(default_factory=list)

    @property
    def single(self) -> bool:
        """Whether it is about one key alone."""
        return len(self.keys) == 1


@dataclass(frozen=True)
class Outcome:
    """The result of an attack: what is known, what it reveals, and how many people are affected.

    Where ``risk`` or ``people`` could not be measured, ``undefined`` and ``people_undefined`` say why. Where
    people were estimated from a sample, ``people_at_most`` is their bound with 95% confidence.
    """

    attack: str
    title: str
    knows: str
    risk: float | None = None
    people: int | None = field(default=None, repr=False)
    of: int | None = field(default=None, repr=False)
    readings: list[AttackReading] = field(default_factory=list)
    details: dict[str, Any] = field(default_factory=dict, repr=False)
    sentence: str = ""
    undefined: str | None = None
    people_undefined: str | None = None
    people_at_most: int | None = field(default=None, repr=False)

    def _repr_html_(self) -> str:
        return table_view(
            self.title, ["the attacker knows", "result"], [[self.knows, self.sentence or self.undefined]]
        )

    def to_dict(self) -> dict[str, Any]:
        """The outcome as plain values, ready for JSON."""
        found = asdict(self)
        for reading in found["readings"]:
            reading["keys"] = list(reading["keys"])
        return found

    def failed(self, reason: str, readings: Sequence[AttackReading] = ()) -> Outcome:
        """The same attack, which could not be carried out."""
        return replace(
            self,
            risk=None,
            people=None,
            of=None,
            readings=list(readings),
            sentence=f"{self.title} could not be tried: {reason}.",
            undefined=reason,
            people_undefined=reason,
            people_at_most=None,
        )


def mean_rate(readings: Sequence[AttackReading], silent: Collection[str] = ()) -> float | None:
    """The global risk of an attack: the mean discrimination rate of the keys, each of them alone.

    Keys without a rate are left out, except that those named as silent count as telling nothing. None where
    no key has a rate.
    """
    alone = [one for one in readings if one.single]
    rates = [one.discrimination_rate for one in alone if one.discrimination_rate is not None]
    nothing = [0.0 for one in alone if one.discrimination_rate is None and one.keys[0] in silent]
    return fmean([*rates, *nothing]) if rates else None


def reading(
    keys: Sequence[str],
    target: str,
    counts: JointCounts,
    *,
    named: Callable[[], JointCounts] | None = None,
    seed: int | None = None,
) -> AttackReading:
    """The rates on joint counts, overall and by value.

    ``named`` gives counts whose classes can be named, where values may be shown; ``seed`` asks for what
    chance gives.
    """
    try:
        rate, risk = DISCRIMINATION_RATE.compute(counts), ITPR.compute(counts)
    except Undefined as undefined:
        return AttackReading(tuple(keys), target, undefined=undefined.message)
    expected = (
        Chance(None) if seed is None else chances.chance(counts, [(DISCRIMINATION_RATE, {})], seed=seed)[0]
    )
    return AttackReading(
        tuple(keys),
        target,
        rate,
        risk,
        expected.expected,
        expected.adjusted(rate, 1.0),
        values=_lines(counts) if named is None else _lines(named(), named=True),
    )


def _lines(counts: JointCounts, *, named: bool = False) -> list[ValueLine]:
    """The riskiest values, at most so many; classes held once stand as often as they occur.

    Those of few records are first and by name, without the rates that would reveal their number; what
    they tell of a target is said where values were asked for by name.
    """
    rate, risk = DISCRIMINATION_RATE.classes(counts), ITPR.classes(counts)
    order: Integers = np.lexsort((counts.size, -rate.round(12)))[:MOST_LINES]
    if counts.multiplicity is not None:
        order = np.repeat(order, np.minimum(counts.multiplicity[order], MOST_LINES))[:MOST_LINES]
    labels = [""] * len(order)
    if named and counts.decode is not None:
        labels = [", ".join(map(value_label, key.values())) for key in counts.decode(order)]
    shown = hidden_among(counts.size[order].tolist(), counts.records)

    def told(value: float, said: int | str) -> float | None:
        if named and not counts.about_records and said == FEW:
            return float(value)
        return beside(float(value), said, certain=None if counts.about_records else 1.0, named=named)

    found = [
        ValueLine(label, said, told(rate[place], said), told(risk[place], said))
        for label, place, said in zip(labels, order.tolist(), shown, strict=True)
    ]
    few = sorted((line for line in found if line.records == FEW), key=lambda line: line.label)
    lines = [*few, *(line for line in found if line.records != FEW)]
    return [replace(line, label=line.label or f"value {place}") for place, line in enumerate(lines, 1)]


def why(readings: Sequence[AttackReading]) -> str:
    """The reasons why readings are undefined, each once."""
    return "; ".join(dict.fromkeys(one.undefined for one in readings if one.undefined is not None))


def told_by_others(readings: Sequence[AttackReading], silent: Sequence[str]) -> dict[str, Any]:
    """Which keys tell nothing because they are hidden, and the global risk of the others alone.

    The risk itself counts hidden keys as 0, so that releases stay comparable: hiding a key never raises it.
    """
    return {"hidden_keys": list(silent), "risk_of_other_keys": mean_rate(readings)}


def on_average(hidden: Sequence[str]) -> str:
    """The words for a mean over keys, which says so when some of them are hidden.

    >>> on_average([]), on_average(["zip"])
    ('on average', 'on average (1 hidden key counted as 0)')
    """
    many_keys = f"{len(hidden)} hidden key{'' if len(hidden) == 1 else 's'}"
    return "on average" + (f" ({many_keys} counted as 0)" if hidden else "")
