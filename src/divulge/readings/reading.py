"""A reading: a measure's value on given counts, with what chance gives and the classes behind it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from divulge._support.notebook import table_view
from divulge._support.small_counts import FEW, UNSAID, beside, said_share
from divulge._support.small_counts import exact_counts as exact
from divulge._support.stages import Stage, silent
from divulge._support.threads import cached_property
from divulge._support.wording import enumerated, quantity
from divulge.counting.statistics import TOP_SHARE
from divulge.errors import ParameterError, Undefined
from divulge.measures import Measure, get
from divulge.questions.question import Question
from divulge.readings import chance as chances
from divulge.readings.chance import Chance
from divulge.readings.class_values import ValueReading, by_class, printed
from divulge.readings.population_interval import LEVEL, PopulationInterval
from divulge.readings.printable_reading import number_or_reason, said_chance, said_interval, said_value
from divulge.readings.sampled_question import in_population

INFINITE = "infinite"  # what a value of a class says in JSON, which has no such number


@dataclass(frozen=True, eq=False)
class AtChance:
    """What chance gives for the readings of one question: shuffles are shared, and wait until asked for."""

    question: Question
    readings: Sequence[tuple[Measure, Mapping[str, Any]]]
    permutations: int | None = None
    seed: int = chances.SEED
    stage: Stage = silent
    most: int = chances.PERMUTATIONS  # shuffles where nobody said how many

    def __post_init__(self) -> None:
        if self.seed < 0:
            raise ParameterError(f"The seed must be a whole number of at least 0, not {self.seed}.")
        if self.permutations is not None and self.permutations < 0:
            raise ParameterError(f"The number of shuffles must be at least 0, not {self.permutations}.")

    @cached_property
    def _found(self) -> list[Chance]:
        counts = self.question.counts
        asked = tuple((measure.name, *sorted(given.items())) for measure, given in self.readings)
        return counts.once(
            ("chance", asked, self.permutations, self.seed, self.most),
            lambda: chances.chance(
                counts,
                self.readings,
                permutations=self.permutations,
                seed=self.seed,
                stage=self.stage,
                own=self.question.data.dealing,
                most=self.most,
            ),
        )

    def of(self, measure: Measure, parameters: Mapping[str, Any]) -> Chance:
        return self._found[list(self.readings).index((measure, parameters))]


@dataclass(frozen=True, eq=False)
class Reading:
    """A measure's value on a question's counts; chance and values by group are computed on request."""

    measure: Measure
    parameters: Mapping[str, Any]
    question: Question
    shuffles: AtChance
    interval: float | None = None  # the level of what is said of the population; None where nobody asked

    def __repr__(self) -> str:
        return f"Reading({self.name}: {self.text}, target {self.question.target_name})"

    @property
    def name(self) -> str:
        """The measure's name, with the parameters that tell its variants apart."""
        said = [str(k) if v is True else str(v) for k, v in self.parameters.items() if v is not False]
        return " ".join([self.measure.name, *(word for word in said if word != "equal")])

    def _repr_html_(self) -> str:
        return readings_view([self], self.question)

    @property
    def value(self) -> float | None:
        """The number; None where the measure is undefined, infinity where it is infinite."""
        return self._result[0]

    @property
    def undefined(self) -> str | None:
        """Why there is no value; None when there is one."""
        return self._result[1]

    @cached_property
    def _result(self) -> tuple[float | None, str | None]:
        try:
            return self.measure.compute(self.question.counts, self.parameters), None
        except Undefined as undefined:
            return None, undefined.message

    @property
    def said(self) -> float | str | None:
        """The value as an output may say it: a share of people is a bound where it would say how few."""
        return said_value(self)

    @property
    def text(self) -> str:
        said = self.said
        if said is None or isinstance(said, str):
            return said or "undefined"
        return f"{said:.4g} {self.measure.unit}".rstrip()

    @cached_property
    def at_chance(self) -> Chance:
        """What chance alone gives, how well that is known, and how it was found."""
        if self.value is None:
            return Chance(None, reason="the reading itself is undefined")
        return self.shuffles.of(self.measure, self.parameters)

    @property
    def chance(self) -> float | None:
        """What shuffled targets would give on average; None where chance has no say."""
        return self.at_chance.expected

    @property
    def adjusted(self) -> float | None:
        """The reading rescaled so that chance is 0 and the riskiest possible is 1."""
        if self.value is None or math.isinf(self.value) or self.measure.ceiling is None:
            return None
        return self.at_chance.adjusted(self.value, self.measure.ceiling(self.question.counts))

    @cached_property
    def spread(self) -> float | None:
        """The standard deviation of the reading over unrelated data of the same shape."""
        return None if self.at_chance.null is None else self.at_chance.null.spread

    @cached_property
    def reach(self) -> float | None:
        """The reading that one in a hundred of unrelated data of the same shape goes beyond."""
        return None if self.at_chance.null is None else self.at_chance.null.reach(chances.LEVEL)

    @property
    def noise(self) -> float | None:
        """How far unrelated data of the same shape reach, adjusted as the reading is."""
        if self.reach is None or self.measure.ceiling is None:
            return None
        found = self.at_chance.adjusted(self.reach, self.measure.ceiling(self.question.counts))
        return None if found is None else min(found, 1.0)

    @cached_property
    def p_value(self) -> float | None:
        """How probable a reading as risky as this one is in unrelated data of the same shape."""
        if self.value is None or self.at_chance.null is None:
            return None
        return self.at_chance.null.p_value(self.value)

    @cached_property
    def beside(self) -> dict[str, float]:
        """The readings that this one is to be read with."""
        return {name: get(name).compute(self.question.counts) for name in self.measure.beside}

    @cached_property
    def by_value(self) -> list[ValueReading]:
        """The value of every class, riskiest first; empty where the measure has no value level."""
        return self.riskiest()

    def riskiest(self, most: int | None = None) -> list[ValueReading]:
        """The value of the riskiest classes, at most so many; none where ``by_value_undefined`` says why."""
        return self._riskiest(most)[0]

    def _riskiest(self, most: int | None) -> tuple[list[ValueReading], str | None]:
        try:
            return [line for (line,) in by_class([self], most)], None
        except Undefined as undefined:
            return [], undefined.message

    @cached_property
    def in_population(self) -> PopulationInterval:
        """What a sample says of the reading in the population it was drawn from."""
        level = LEVEL if self.interval is None else self.interval
        if isinstance(self.said, str):
            reason = "it would tell how few people there are"
            return PopulationInterval("cannot tell", level=level, reason=reason)
        return in_population(self.name, self.value, self.question, level)

    @property
    def compared_with(self) -> str | None:
        """The table that classes are compared with, for a measure that compares them with one."""
        return self.question.compared_with if self.measure.against_table else None

    def to_dict(
        self,
        *,
        by_value: bool = False,
        most: int | None = None,
        exact_counts: bool = False,
        sample: bool = False,
    ) -> dict[str, Any]:
        """The reading as plain values; small classes are not counted out unless asked for."""
        found: dict[str, Any] = {"measure": self.measure.name, "parameters": dict(self.parameters)}
        with exact(exact_counts):
            said = self.said
        if isinstance(said, str):
            found |= {"value": None, "undefined": f"{said}; {UNSAID}"}
        else:
            found |= number_or_reason("value", said, self.undefined, self.measure.infinite)
        found |= {"unit": self.measure.unit, "riskier": self.measure.riskier}
        found |= {"compared_with": self.compared_with} if self.compared_with else {}
        found |= {"beside": self.beside} if self.beside else {}
        with exact(exact_counts):
            found |= said_chance(self)
        if sample or self.interval is not None:
            found["in_population"] = vars(said_interval(self))
        if by_value:
            lines, reason = self._riskiest(most)
            with exact(exact_counts):
                found["by_value"] = self._by_value([(line,) for line in lines])
            found |= {} if reason is None else {"by_value_undefined": reason}
        return found

    def _by_value(self, lines: Sequence[tuple[ValueReading, ...]]) -> list[dict[str, Any]]:
        return [
            {
                "key": {name: _jsonable(value) for name, value in line.key.items()},
                "records": said,
                "value": self.shown(line.value, said),
            }
            for (line,), said in printed(lines, self.question)
        ]

    def shown(self, value: float, records: int | str) -> float | str | None:
        """The value of a class beside its records as an output may say them.

        Where they are not said, a number of records is as they are, and what follows from how many they are
        is left out: all about records, and shares and distances in the class unless the target is certain.
        """
        if isinstance(records, str) and self.measure.unit == "records":
            return records
        by_size = self.question.about_records or not self.measure.reads_target
        in_class = self.measure.by_class is TOP_SHARE
        if isinstance(records, int) and in_class and not by_size:
            return said_share(value, records)  # of one target value in the class
        if by_size or in_class or self.measure.against_table:
            said = beside(value, records, certain=None if by_size else self.measure.riskiest)
            return None if said is None else _plain(said)
        about = isinstance(records, str) and records != FEW  # rounded: what it tells of the target goes on
        said = beside(value, records, certain=self.measure.riskiest) if about else value
        return None if said is None else _plain(said)


def readings_view(readings: Sequence[Reading], question: Question) -> str:
    """Readings as a notebook shows them."""
    head = ["measure", "value", "by chance", "adjusted", "riskier"]
    found = [(one, one.to_dict()) for one in readings]
    rows = [
        [_titled(one), _valued(one), line.get("chance"), line.get("adjusted"), one.measure.riskier]
        for one, line in found
    ]
    if any(one.interval is not None for one in readings):
        head = [*head, "in the population"]
        rows = [[*row, _between(line["in_population"])] for row, (_, line) in zip(rows, found, strict=True)]
    known = enumerated(list(question.keys) or ["nothing"])
    return table_view(f"Readings of {question.target_name}", head, rows, f"known: {known}")


def _between(said: Mapping[str, Any]) -> str:
    """What is said of the population in a cell of a table."""
    if said["low"] is None:
        return str(said["kind"])
    ends = f"{said['low']:.4g} to {said['high']:.4g}"
    return f"at most {said['high']:.4g}" if said["kind"] == "at most" else f"{ends} ({said['kind']})"


def _titled(reading: Reading) -> str:
    """A measure's title, with the parameters that tell its variants apart."""
    variant = reading.name.removeprefix(reading.measure.name).strip()
    return f"{reading.measure.title} ({variant})" if variant else reading.measure.title


def _valued(reading: Reading) -> str:
    said = reading.said
    return (
        quantity(said, reading.measure.unit)
        if isinstance(said, int | float)
        else reading.undefined or reading.text
    )


def _plain(value: float) -> float | str:
    return INFINITE if math.isinf(value) else value


def _jsonable(value: object) -> object:
    return value if value is None or isinstance(value, str | int | float | bool) else str(value)
