"""Joint counts as sets of people and the values they have, in the ways in which it is asked about them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from divulge._support.threads import blocks
from divulge.assessment.inference.sensitive_questions import AskedValues
from divulge.assessment.people.people_table import PeopleTable
from divulge.counting.counts import Integers, JointCounts


def from_counts(counts: JointCounts, values: Sequence[object], asked: AskedValues) -> PeopleTable:
    """Joint counts as a table of values that are asked about."""
    cells = counts.cells
    assert cells is not None
    codes = {_spelled(value): code for code, value in enumerate(values, 1)}
    place = np.asarray([0 if value is None else codes[_spelled(value)] for value in counts.target_values])
    value = asked.of_code[place][cells.target]
    owner, count = cells.owner, cells.count.astype(np.int64, copy=False)
    if not _in_order(owner, value):  # several values of a set may be asked about as one
        word, cell = np.unique(owner * asked.values + value, return_inverse=True)
        count = np.bincount(cell, weights=cells.count).astype(np.int64)
        owner, value = word // asked.values, word % asked.values
    times = np.ones(len(counts.size), np.int64) if counts.multiplicity is None else counts.multiplicity
    margin = (
        counts.target_weight
        if counts.margin is not None
        else np.bincount(cells.target, weights=cells.count * times[cells.owner], minlength=len(place))
    )
    having = np.bincount(asked.of_code[place], weights=margin, minlength=asked.values)
    return PeopleTable(counts.size, times, owner, value, count, having, counts.records)


def _in_order(owner: Integers, value: Integers) -> bool:
    """Whether the values of each set come in their order, each once; sets come in theirs."""
    for part in blocks(len(owner) - 1):
        here, after = part, slice(part.start + 1, part.stop + 1)
        if ((owner[here] == owner[after]) & (value[here] >= value[after])).any():
            return False
    return True


def _spelled(value: object) -> tuple[str, str]:
    return type(value).__name__, str(value)
