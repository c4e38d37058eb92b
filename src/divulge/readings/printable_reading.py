"""A reading as an output may say it: not so exactly that it tells how few people it is about, or left out."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any, overload

from divulge._support.small_counts import blurred, said_share, two_digits
from divulge.questions.question import Question
from divulge.readings.population_interval import PopulationInterval

if TYPE_CHECKING:
    from divulge.readings.reading import Reading


def said_value(reading: Reading) -> float | str | None:
    """The value: a share of people is a bound where it would say how few.

    Where few records were left out, nothing is said so exactly that it tells how many were counted.
    """
    value, question = reading.value, reading.question
    if value is None:
        return None
    if reading.measure.counts_people:
        said = said_share(value, question.counts.records)
        return said if isinstance(said, str) else rounded(said, question)
    least = question.counted_at_least
    if least is not None and reading.measure.name == "average_class_size":
        return f">{(least - 1) / question.counts.classes:.4g}"
    return rounded(value, question)


def said_chance(reading: Reading) -> dict[str, Any]:
    """What chance gives, how far it reaches, and the reading beyond it, for JSON."""
    at_chance, question = reading.at_chance, reading.question
    chance = rounded(reading.chance, question)
    found = number_or_reason("chance", chance, at_chance.reason, "infinite in some shuffles")
    if chance is not None:
        found |= {"chance_method": at_chance.method, "chance_error": rounded(at_chance.error, question)}
        found |= {"chance_spread": rounded(reading.spread, question)}
        found |= {"chance_reach": rounded(reading.reach, question)}
    found["adjusted"] = rounded(reading.adjusted, question)
    if chance is not None:
        found |= {"noise": rounded(reading.noise, question), "p_value": reading.p_value}
        found |= {"p_undefined": at_chance.unsure} if at_chance.unsure else {}
    return found


def said_interval(reading: Reading) -> PopulationInterval:
    """What is said of the reading in the population, its ends to the digits that an output may have."""
    said = reading.in_population
    low, high, estimate = (rounded(one, reading.question) for one in (said.low, said.high, said.estimate))
    return replace(said, low=low, high=high, estimate=estimate)


@overload
def rounded(value: float, question: Question) -> float: ...
@overload
def rounded(value: float | None, question: Question) -> float | None: ...
def rounded(value: float | None, question: Question) -> float | None:
    """A figure that is made of all records, to the digits that do not tell how few were left out."""
    least = question.counted_at_least
    if value is None or least is None or math.isinf(value) or float(value).is_integer():
        return value
    found = blurred(value, least)
    return two_digits(value) if found is None else found


def number_or_reason(name: str, value: float | None, reason: str | None, infinite: str) -> dict[str, Any]:
    """A number under its name, or null and why: JSON has no infinity."""
    if value is not None and math.isinf(value):
        value, reason = None, infinite
    if value is None:
        return {name: None, "undefined" if name == "value" else f"{name}_undefined": reason}
    return {name: value}
