"""Measures' values on single classes, the riskiest first, and their sizes as an output may say them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from divulge._support.small_counts import FEW, hidden_among

if TYPE_CHECKING:
    from divulge.questions.question import Question
    from divulge.readings.reading import Reading


@dataclass(frozen=True)
class ValueReading:
    """A measure's value on one class: a combination of key values that occurs."""

    key: dict[str, object]
    records: int = field(repr=False)
    value: float


def by_class(readings: Sequence[Reading], most: int | None = None) -> list[tuple[ValueReading, ...]]:
    """The readings of each class side by side, in the order of the first one's risk."""
    first = readings[0]
    counts = first.question.named(first.measure.statistic(first.parameters), most)
    values = [reading.measure.classes(counts, reading.parameters) for reading in readings]
    order = np.argsort(-values[0] if first.measure.riskier == "higher" else values[0], kind="stable")[:most]
    assert counts.decode is not None
    return [
        tuple(ValueReading(key, int(counts.size[place]), of_classes[place].item()) for of_classes in values)
        for place, key in zip(order, counts.decode(order), strict=True)
    ]


def printed(
    lines: Sequence[tuple[ValueReading, ...]], question: Question
) -> list[tuple[tuple[ValueReading, ...], int | str]]:
    """The lines with the records of each class as an output may say them; so are those left out, unlisted.

    Those of fewer than five records are first, and by name: their order by risk would say which is smaller.
    """
    named = sorted(lines, key=lambda line: str(line[0].key))
    counted, sizes = question.counts.records, [line[0].records for line in named]
    left = [] if question.counted_at_least is None else [question.data.records - question.records]
    shown = hidden_among([*sizes, *left], counted + sum(left))[: len(sizes)]
    said = {id(line): one for line, one in zip(named, shown, strict=True)}
    few = [line for line in named if said[id(line)] == FEW]
    return [(line, said[id(line)]) for line in (*few, *(line for line in lines if said[id(line)] != FEW))]
