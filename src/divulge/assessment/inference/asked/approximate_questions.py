"""What is asked about a sensitive attribute besides its values: spellings as one, and roughly where it is."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from divulge.assessment.inference.asked.sensitive_questions import (
    NEARLY_ALL,
    ORDERED,
    AskedValues,
    Limit,
    SensitiveAnswers,
    equal_bands,
    grouped,
)
from divulge.assessment.inference.asked.text_parts import MOST_TEXTS, without_signs
from divulge.roles.patterns import year
from divulge.table.codes import Codes

Numbers = npt.NDArray[Any]
Flags = npt.NDArray[np.bool_]
WIDTHS = 40  # bands of equal width; two neighbours are a twentieth of the range
TAIL = 0.01  # of the people at either end, whose numbers do not stretch the range
SKEWED = 10.0  # times the lowest that the highest are, from which on bands are of equal ratio
YEARS = 20  # up to which dates are asked by year
LIMITS = 40  # bands of equal size, between which are the limits up to which, or from which on, is asked


def asked_roughly(answers: SensitiveAnswers) -> list[AskedValues]:
    """Spellings of one value as one, numbers in bands of equal width and from one end, dates by year."""
    if not len(answers.used):
        return []
    numbers = answers.numbers if answers.are_numbers else answers.loosely
    return [
        *_spellings(answers),
        *([] if numbers is None else _widths(answers, numbers)),
        *([] if numbers is None else _from_one_end(answers, numbers)),
        *_years(answers.column, answers.near, answers.absent),
    ]


def folded(text: str) -> str:
    """A text without what does not change its meaning: case, spaces, width, and signs nobody sees.

    >>> folded("  Type\\u200b 2  DIABETES ") == folded("type 2 diabetes")
    True
    """
    plain = unicodedata.normalize("NFKC", text).casefold()
    seen = "".join(sign for sign in plain if unicodedata.category(sign) != "Cf")
    return re.sub(r"\s+", " ", seen).strip()


def _spellings(answers: SensitiveAnswers) -> Iterator[AskedValues]:
    """Values that differ in spelling only as one, where there are such; texts also without their signs."""
    column, used = answers.column, answers.used
    before = len(used)
    signs = not answers.are_numbers and before <= MOST_TEXTS
    for fold in (folded, _unsigned) if signs else (folded,):
        places: dict[object, int] = {}
        of_code = np.zeros(column.cardinality, np.int64)
        for code in used.tolist():
            value = column.values[code - 1]
            key = fold(value) if isinstance(value, str) else (type(value).__name__, value)
            of_code[code] = places.setdefault(key, len(places) + 1)
        if 0 < len(places) < before:
            yield grouped(of_code, len(places), answers.absent)
            before = len(places)


def _unsigned(text: str) -> str:
    """A text without case and punctuation; one of signs only as it is."""
    return without_signs(text) or folded(text)


def _widths(answers: SensitiveAnswers, numbers: npt.NDArray[np.float64]) -> Iterator[AskedValues]:
    """Numbers and days in bands of equal width over the range of all but the lowest and highest people."""
    there, column = np.isfinite(numbers), answers.column
    if not there.any():
        return
    codes = answers.near[there]
    band = _banded(numbers[there], answers.records[codes])
    if band is None or len(np.unique(band)) == len(band):
        return  # each number has a band of its own, which was asked already
    bands = WIDTHS + 2
    of_code = np.arange(column.cardinality) + bands  # what is no number is not asked about here
    of_code[codes] = band
    news = np.zeros(column.cardinality + bands, bool)
    news[band] = True
    yield AskedValues(of_code, len(news), news, bands, rough=True, kind="range")


def _from_one_end(answers: SensitiveAnswers, numbers: npt.NDArray[np.float64]) -> Iterator[AskedValues]:
    """Numbers and days up to each of some limits, and from each on: all but the last of about forty."""
    there = np.isfinite(numbers)
    if len(np.unique(numbers[there])) < ORDERED:
        return
    codes = answers.near[there]
    band = equal_bands(numbers[there], answers.records[codes], LIMITS)
    bands = int(band.max()) + 1
    if bands < ORDERED:
        return
    of_code = np.full(answers.column.cardinality, bands, np.int64)  # other answers
    of_code[answers.absent] = bands + 1
    of_code[codes] = band
    unknown = None if answers.unknown is None else np.asarray([bands + 1])
    ends: tuple[tuple[Limit, int], ...] = (("at most", bands - 1), ("at least", 0))
    for limit, last in ends:
        news = np.arange(bands + 2) < bands
        news[last] = False  # that is everyone
        yield AskedValues(
            of_code, bands + 2, news, bands, rough=True, limit=limit, kind="range", unknown=unknown
        )


def _banded(numbers: Numbers, people: Numbers) -> Numbers | None:
    """The band of each number, the first and the last for the ends; None where there is no range.

    Where the highest are many times the lowest, as incomes are, bands are of equal ratio: a twentieth of
    such a range would hold nearly everyone.
    """
    low, high = _range(numbers, people)
    if low >= 0 and (numbers > 0).any():
        above = numbers > 0
        least, _ = _range(numbers[above], people[above])
        if high / least > SKEWED:
            numbers = np.where(above, np.log(np.where(above, numbers, 1.0)), -np.inf)
            low, high = float(np.log(least)), float(np.log(high))
    width = (high - low) / WIDTHS
    if not 0 < width < np.inf:
        return None
    place = np.clip(np.floor((numbers - low) / width), -1, WIDTHS)
    return np.where(numbers == high, WIDTHS, place + 1).astype(np.int64)


def _range(numbers: Numbers, people: Numbers) -> tuple[float, float]:
    """The numbers that a hundredth of the people are below, and a hundredth above."""
    order = np.argsort(numbers, kind="stable")
    reached = np.cumsum(people[order])
    low, high = np.searchsorted(reached, np.asarray([TAIL, 1 - TAIL]) * reached[-1])
    return float(numbers[order[low]]), float(numbers[order[high]])


def _years(column: Codes, used: Numbers, absent: Flags) -> Iterator[AskedValues]:
    """Dates by calendar year, where there are few years."""
    years = {code: year(str(column.values[code - 1]).strip()) for code in used.tolist()}
    known = sorted({one for one in years.values() if one is not None})
    if not 1 < len(known) <= YEARS or sum(one is not None for one in years.values()) < NEARLY_ALL * len(used):
        return
    of_code = np.zeros(column.cardinality, np.int64)
    for code, one in years.items():
        of_code[code] = 0 if one is None else known.index(one) + 1
    made = grouped(of_code, len(known), absent)
    yield AskedValues(made.of_code, made.values, made.news, rough=True)
