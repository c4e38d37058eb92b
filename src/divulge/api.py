"""The public functions: data and a question in, readings out."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, Unpack, cast, overload

from divulge._support.stages import Stage, silent
from divulge.counting.counts import RECORD
from divulge.errors import ParameterError
from divulge.limits.sizes import require_shuffles
from divulge.measures import MEASURES, Measure, get
from divulge.measures import identifier as identifiers
from divulge.measures.identifier import IdentifierClass
from divulge.questions.keywords import ReadKeywords, with_keywords
from divulge.questions.question import Question
from divulge.readings import chance as chances
from divulge.readings.population_interval import deviations
from divulge.readings.reading import AtChance, Reading
from divulge.readings.readings import Readings
from divulge.table.partition_files import as_partitions
from divulge.table.schema import names

ORDINARY = 1000  # shuffles that are not worth an estimate of how long they take


@overload
def measure(
    data: object,
    measures: str,
    *,
    keys: str | Sequence[str] | None = ...,
    target: str | Sequence[str] | None = ...,
    partitions: Mapping[str, object] | str | os.PathLike[str] | None = ...,
    permutations: int | None = ...,
    seed: int = ...,
    interval: float | None = ...,
    stage: Stage = ...,
    **parameters: Any,
) -> Reading: ...
@overload
def measure(
    data: object,
    measures: list[str] | tuple[str, ...] | None = None,
    *,
    keys: str | Sequence[str] | None = ...,
    target: str | Sequence[str] | None = ...,
    partitions: Mapping[str, object] | str | os.PathLike[str] | None = ...,
    permutations: int | None = ...,
    seed: int = ...,
    interval: float | None = ...,
    stage: Stage = ...,
    **parameters: Any,
) -> Readings: ...
def measure(
    data: object,
    measures: str | Sequence[str] | None = None,
    *,
    keys: str | Sequence[str] | None = None,
    target: str | Sequence[str] | None = None,
    partitions: Mapping[str, object] | str | os.PathLike[str] | None = None,
    permutations: int | None = None,
    seed: int = chances.SEED,
    interval: float | None = None,
    stage: Stage = silent,
    **parameters: Any,
) -> Reading | Readings:
    """Measure what keys reveal about a target: a Reading for one name, otherwise Readings.

    ``keys`` are by default the quasi-identifiers. ``target`` is an attribute, several taken together, or
    ``@record`` for re-identification, the default.
    Parameters of a measure, such as ``ground="ordered"``, go with its name; without them a list of
    names gives all variants that apply. Keywords of :func:`read` describe the data, as for :func:`audit`.
    ``interval`` says that the data are a sample: readings then have ``in_population`` at that level, such as
    0.95, in their documents too. ``stage`` is told what is being done, as by :func:`audit`.

    >>> table = {"age": [22, 22, 35, 35], "disease": ["flu", "cold", "flu", "flu"]}
    >>> measure(table, "discrimination_rate", keys="age", target="disease")
    Reading(discrimination_rate: 0.3837, target disease)
    """
    reading = {name: parameters.pop(name) for name in [*parameters] if name in ReadKeywords.__annotations__}
    question = ask(data, keys=keys, target=target, partitions=partitions, **cast("ReadKeywords", reading))
    if measures is None and parameters:
        raise ParameterError(
            f"{', '.join(parameters)} is given, but no measure to go with it.",
            hint="Parameters of a measure go with its name; others are misspelt.",
        )
    chosen: list[tuple[Measure, Mapping[str, Any]]]
    if isinstance(measures, str) or parameters:
        chosen = [(get(name), parameters) for name in names(measures)]
        for one, given in chosen:
            one.check_parameters(given)
    else:
        named = [get(name) for name in measures or ()]
        chosen = [
            pair for one in named or MEASURES.values() for pair in _variants(one, question, bool(named))
        ]
    if permutations is not None and permutations > ORDINARY:
        counts = question.counts
        require_shuffles(permutations, counts.records, counts.classes * max(len(counts.target_values), 1))
    if interval is not None:
        deviations(interval)
    shuffles = AtChance(question, chosen, permutations, seed, stage)
    readings = tuple(Reading(one, given, question, shuffles, interval) for one, given in chosen)
    return readings[0] if isinstance(measures, str) else Readings(question, readings, seed, stage)


def _variants(one: Measure, question: Question, named: bool) -> list[tuple[Measure, Mapping[str, Any]]]:
    """The variants of a measure that apply; one that was named stands there even if none does."""
    apply = [variant for variant in one.variants if one.applies(question.counts, variant)]
    return [(one, variant) for variant in (apply or [{}] if named else apply)]


def ask(
    data: object,
    *,
    keys: str | Sequence[str] | None = None,
    target: str | Sequence[str] | None = None,
    partitions: Mapping[str, object] | str | os.PathLike[str] | None = None,
    **reading: Unpack[ReadKeywords],
) -> Question:
    """The question behind a measurement, for its joint counts: ``ask(...).counts``."""
    described = with_keywords(data, reading)
    known = names(keys) or described.schema.quasi_identifiers
    return Question(described, known, names(target) or (RECORD,), as_partitions(partitions))


def identifier_class(
    data: object,
    *,
    keys: str | Sequence[str] | None = None,
    target: str | Sequence[str] | None = None,
    partitions: Mapping[str, object] | str | os.PathLike[str] | None = None,
    **reading: Unpack[ReadKeywords],
) -> IdentifierClass:
    """What kind of identifier the keys are, relative to the target.

    >>> identifier_class({"name": ["Ann", "Bob"], "zip": ["1", "1"]}, keys="name").value
    'identifier'
    """
    question = ask(data, keys=keys, target=target, partitions=partitions, **reading)
    return identifiers.identifier_class(question.counts)
