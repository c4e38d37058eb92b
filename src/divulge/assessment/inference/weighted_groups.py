"""Sets of people counted by their weights: shares by weight, of as many people as these weights are worth."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from divulge.assessment.inference.revealing_groups import Bar, Telling, paired, telling
from divulge.assessment.inference.sensitive_questions import AskedValues
from divulge.assessment.people.people import CodedRows, PeopleTable, first_of_each
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
) -> PeopleTable:
    """The same sets with shares by weight: a set is as large as the number of people that it is worth.

    That is Kish's effective size, (sum w)^2 / sum w^2: as many people of equal weight would give a share as
    well known. ``weights`` are those of rows, which may stand for several records; ``codes`` number values.
    """
    values = len(table.having)
    _, place = np.unique(numbers[chosen], return_inverse=True)
    value, weight = codes[chosen].astype(np.int64), weights[chosen]
    squares = weight**2 if rows.times is None else weight**2 / rows.times[chosen]
    person = None if rows.person is None else rows.person[chosen]
    sets = _summed(place, weight, person, len(table.size))
    size = sets**2 / _summed(place, squares, person, len(table.size))
    size = np.clip(size, 1, table.size)
    cell = np.searchsorted(table.owner * values + table.value, place * values + value)
    share = _summed(cell, weight, person, len(table.owner)) / sets[table.owner]
    if not len(place):  # every record is left out, so there are no sets either
        return table
    everyone = float(_summed(np.zeros_like(place), weight, person, 1)[0])
    having = _summed(value, weight, person, values) / everyone * table.people
    return replace(table, size=size, count=share * size[table.owner], having=having)


def telling_by_weight(
    table: PeopleTable, weighed: PeopleTable, asked: AskedValues, bar: Bar, sample: SampleShare
) -> Telling:
    """The sets that tell a value by weight, with their people as they are counted."""
    found = telling(weighed, asked, bar, sample)
    owner, value, count = paired(table, asked) if asked.bands > 1 else (table.owner, table.value, table.count)
    values = len(table.having)
    place = np.searchsorted(owner * values + value, found.owner * values + found.value)
    smallest = int(table.size.min()) if len(table.size) else 0
    return replace(found, count=count[place], size=table.size[found.owner], smallest=smallest)


def _summed(numbers: Numbers, weights: Numbers, person: Numbers | None, bound: int) -> Numbers:
    """The weight with each number; a person is counted once for each, by the first row."""
    if person is not None:
        first = first_of_each(numbers, person)
        numbers, weights = numbers[first], weights[first]
    return np.bincount(numbers, weights=weights, minlength=bound)
