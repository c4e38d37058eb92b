"""Sets of people counted by their weights: shares by weight, of as many people as these weights are worth."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from divulge.assessment.inference.asked.asked_cells import as_asked
from divulge.assessment.inference.asked.sensitive_questions import AskedValues
from divulge.assessment.inference.revealing_groups import Bar, Telling, telling_cells
from divulge.assessment.people.candidate_sets import CandidateSets
from divulge.assessment.people.people import CodedRows, first_of_each
from divulge.assessment.people.people_table import PeopleTable
from divulge.assessment.people.sample import SampleShare

Numbers = npt.NDArray[Any]


def useful(weights: Numbers | None, times: Numbers | None) -> bool:
    """Whether weights differ between records, so that shares by weight are others."""
    if weights is None or not len(weights):
        return False
    each = weights if times is None else weights / times
    return bool(each.max() > each.min() * (1 + 1e-9))


def by_weight(
    table: PeopleTable,
    rows: CodedRows,
    weights: Numbers,
    numbers: Numbers,
    codes: Numbers,
    chosen: Numbers | slice,
    everyone: Numbers | slice,
    own: Numbers | None = None,
    candidates: CandidateSets | None = None,
) -> PeopleTable:
    """The same sets with shares by weight: a set is as large as the number of people that it is worth.

    That is Kish's effective size, (sum w)^2 / sum w^2: as many people of equal weight would give a share as
    well known. ``weights`` are those of rows, which may stand for several records; ``codes`` number values,
    ``own`` those that people have where some are suppressed. The rows ``chosen`` are in sets, and those of
    ``everyone`` say how common values are. Sets that overlap are made of the classes of ``candidates``.
    """
    table, values = table.together, len(table.having)
    place = np.unique(numbers[chosen], return_inverse=True)[1] if candidates is None else candidates.alike
    value, weight = codes[chosen].astype(np.int64), weights[chosen]
    if not len(place):  # every record is left out, so there are no sets either
        return table
    squares = weight**2 if rows.times is None else weight**2 / rows.times[chosen]
    person = None if rows.person is None else rows.person[chosen]
    classes = int(place.max()) + 1
    sets, alike = _summed(place, weight, person, classes), _summed(place, squares, person, classes)
    if candidates is None:
        cell = np.searchsorted(table.owner * values + table.value, place * values + value)
        cells = _summed(cell, weight, person, len(table.owner))
    else:
        sets, alike = candidates.fits.added_up(sets), candidates.fits.added_up(alike)
        cells = candidates.by_value(_once(place * values + value, weight, person), value, values).number
    size = np.clip(sets**2 / alike, 1, table.size)
    held = (codes if own is None else own)[everyone].astype(np.int64)
    whole, whose = weights[everyone], None if rows.person is None else rows.person[everyone]
    total = float(_summed(np.zeros_like(held), whole, whose, 1)[0])
    having = _summed(held, whole, whose, values) / total * table.people
    return replace(table, size=size, count=cells / sets[table.owner] * size[table.owner], having=having)


def telling_by_weight(
    table: PeopleTable, weighed: PeopleTable, asked: AskedValues, bar: Bar, sample: SampleShare
) -> Telling:
    """The sets that tell a value by weight, with their people as they are counted."""
    found, place = telling_cells(weighed, asked, bar, sample)
    smallest = int(table.size.min()) if len(table.size) else 0
    counted = as_asked(table, asked)
    return replace(found, count=counted.count[place], size=counted.size[found.owner], smallest=smallest)


def _summed(numbers: Numbers, weights: Numbers, person: Numbers | None, bound: int) -> Numbers:
    """The weight with each number; a person is counted once for each, by the first row."""
    return np.bincount(numbers, weights=_once(numbers, weights, person), minlength=bound)


def _once(numbers: Numbers, weights: Numbers, person: Numbers | None) -> Numbers:
    """Weights of rows; 0 for those of a person who has an earlier row with the same number."""
    if person is None:
        return weights
    found = np.zeros_like(weights)
    first = first_of_each(numbers, person)
    found[first] = weights[first]
    return found
