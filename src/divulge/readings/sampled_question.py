"""What a question's records, as a sample, say of a reading in the population."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from divulge.errors import Undefined
from divulge.questions.question import Question
from divulge.readings.null_mean import expected_mutual_information
from divulge.readings.population_interval import (
    LEVEL,
    PopulationInterval,
    deviations,
    information_in_population,
    rate_in_population,
    share_in_population,
)
from divulge.readings.sample_cells import Numbers, SampleCells
from divulge.table.packing import coded, combinations

UNIQUE, AVERAGE_RISK = "uniqueness", "reidentification_risk average"  # a sample can only overstate them
RATE, INFORMATION = "discrimination_rate", "mutual_information"
NO_METHOD = "no interval is known to hold"
ELSEWHERE = "there are too many records to bring them over with their weights or people"


def in_population(
    name: str, value: float | None, question: Question, level: float = LEVEL
) -> PopulationInterval:
    """What a sample says of a reading in its population: an interval, a bracket, at most, or nothing.

    One record can decide a worst case, so that of a smallest class or a highest risk nothing can be said.
    """
    deviations(level)
    try:
        return _said(name, value, question, level)
    except Undefined as reason:
        return PopulationInterval("cannot tell", level=level, reason=reason.message)


def _said(name: str, value: float | None, question: Question, level: float) -> PopulationInterval:
    if value is None:
        raise Undefined("the reading itself is undefined")
    if name not in (UNIQUE, AVERAGE_RISK) and (name not in (RATE, INFORMATION) or question.about_records):
        raise Undefined(NO_METHOD)
    if question.counts.overlapping:
        raise Undefined("missing values match anything, so groups overlap")
    alike = question.data.weights is None and question.subject is None
    if name in (UNIQUE, AVERAGE_RISK):
        if alike:
            return share_in_population(value, question.counts.records, level=level)
        return _share(sample_of(question), name, level)
    by_chance = None
    if alike:
        held = question.counts.in_cells()
        sample = SampleCells.of_counts(held)
        if name == RATE:
            several = min(len(sample.values.total), len(sample.classes.total)) > 1
            by_chance = expected_mutual_information(held) if several else 0.0
    else:
        sample = sample_of(question)
    if name == INFORMATION:
        return information_in_population(sample, level)
    return rate_in_population(sample, by_chance, level)


def _share(sample: SampleCells, name: str, level: float) -> PopulationInterval:
    """The share of people who are unique, or their average risk, with weights or several records each."""
    people = np.bincount(sample.owner, weights=sample.classes.first)[sample.owner]
    risk = (people == 1).astype(np.float64) if name == UNIQUE else 1 / people
    return share_in_population(sample.mean(risk), sample.effective, sample.error(risk), level)


def sample_of(question: Question) -> SampleCells:
    """The records of a question as they were drawn: each with its weight, those of a person together."""
    here = question.data.at_hand(question.request.attributes)
    if here is None:
        raise Undefined(ELSEWHERE)
    one_by_one = replace(question, data=here.one_by_one())
    rows = np.flatnonzero(one_by_one.rows_in(np.ones(len(one_by_one.classes.size), np.bool_)))
    weights, person = one_by_one.data.record_weights(), one_by_one.subject
    return SampleCells.of_units(
        np.arange(len(rows)) if person is None else person.codes,
        _codes(one_by_one, question.keys, len(rows)),
        np.zeros(len(rows), np.int64)
        if question.about_records
        else _codes(one_by_one, question.target, len(rows)),
        np.ones(len(rows)) if weights is None else weights[rows],
    )


def _codes(question: Question, attributes: tuple[str, ...], records: int) -> Numbers:
    return combinations(coded(question.column(name) for name in attributes), records).number
