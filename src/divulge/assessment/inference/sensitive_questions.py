"""What is asked about a sensitive attribute: its values, bands of its numbers, groups of its codes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

import numpy as np
import numpy.typing as npt

from divulge.assessment.inference.number_spellings import read_alike
from divulge.roles.missing_codes import (
    MOST_VALUES,
    a_decision,
    a_digit,
    missing_texts,
    numbers_meaning_missing,
)
from divulge.roles.patterns import written_number
from divulge.table.codes import MISSING, Codes
from divulge.table.hierarchy import Hierarchy
from divulge.table.partition import Partition

Numbers = npt.NDArray[Any]
BANDS = 20  # of equal size; two neighbours hold a tenth of the people
MANY = 20  # numbers from which on they are asked in bands
SOME = 5  # numbers from which on a range of them would say something
NEARLY_ALL = 0.95
MOST = 0.8
SURE = 0.9  # from which on what is asked roughly is learned

_ICD = re.compile(r"[A-TV-Z]\d[\dA-Z](?:\.?[\dA-Z]{1,4})?", re.IGNORECASE)
_DAY = re.compile(r"\d{4}-\d\d-\d\d")


@dataclass(frozen=True, eq=False)
class AskedValues:
    """One way to ask: a number for each code, and which of the numbers would be news.

    Of the first ``bands`` numbers, neighbours in an order, any two that follow each other are asked as one.
    What is ``rough`` may be common, and is asked only where it becomes all but certain, beyond chance.
    """

    of_code: Numbers
    values: int
    news: npt.NDArray[np.bool_]
    bands: int = 0
    plain: bool = False  # whether codes stand for themselves
    rough: bool = False

    def numbered(self, codes: Numbers) -> Numbers:
        """The number of each code."""
        return codes if self.plain else self.of_code[codes]


def asked_values(
    column: Codes,
    records: Numbers,
    partition: Partition | None,
    hierarchy: Hierarchy | None,
    attribute: str,
    suppressed: int | None = None,
) -> list[AskedValues]:
    """Every way to ask about an attribute; ``records`` says how many have each code."""
    absent = no_answer(column, records, suppressed)
    found = [_bands(column, records, absent, outliers(column, records, absent)) or _plain(column, absent)]
    groups = [] if partition is None else [partition]
    groups += [] if hierarchy is None else [hierarchy.level(n) for n in range(1, hierarchy.levels + 1)]
    for group in groups:
        applied = group.apply(_once(column, records), attribute=attribute)
        of_code = np.zeros(column.cardinality, np.int64)
        of_code[np.flatnonzero(records)] = applied.codes
        found.append(grouped(of_code, len(applied.values), absent))
    found += _by_chapter(column, records, absent)
    return [one for one in found if one.news.any()]


def no_answer(column: Codes, records: Numbers, suppressed: int | None = None) -> npt.NDArray[np.bool_]:
    """Which codes say that there is no value: missing ones, words such as 'not asked', the suppression mark.

    A number such as 999 or a word such as 'refused' may be a value, and counts as one until it is declared
    missing.
    """
    absent = np.zeros(column.cardinality, bool)
    absent[[MISSING] if suppressed is None else [MISSING, suppressed]] = True
    used = [code for code in np.flatnonzero(records).tolist() if not absent[code]]
    texts = [str(column.values[code - 1]).strip() for code in used]
    places = {place for place in missing_texts(texts) if not a_decision(texts[place])}
    absent[[code for place, code in enumerate(used) if place in places or not texts[place]]] = True
    return absent


def outliers(column: Codes, records: Numbers, absent: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """Which codes are numbers such as -9 or 9999, far from all others: values of their own, in no band."""
    found = np.zeros(column.cardinality, bool)
    codes = np.flatnonzero((records > 0) & ~absent)
    if len(codes) <= MOST_VALUES:
        texts = [str(value).strip() for value in column.values_of(codes)]
        places = numbers_meaning_missing(texts, records[codes])
        found[[codes[place] for place in places if not a_digit(texts[place])]] = True
    return found


def few_numbers(column: Codes, records: Numbers, suppressed: int | None = None) -> bool:
    """Whether all answers are numbers or days that have ranges, though too few to be asked in bands."""
    used = np.flatnonzero((records > 0) & ~no_answer(column, records, suppressed))
    return SOME <= len(used) <= MANY and not bool(np.isnan(in_order(column.values_of(used))).any())


def _plain(column: Codes, absent: npt.NDArray[np.bool_]) -> AskedValues:
    return AskedValues(np.arange(column.cardinality), column.cardinality, ~absent, plain=True)


def grouped(of_code: Numbers, groups: int, absent: npt.NDArray[np.bool_]) -> AskedValues:
    """Groups of values; one whose values all mean missing is no news, nor is what belongs to none."""
    news = np.zeros(groups + 1, bool)
    news[of_code[~absent]] = True
    news[MISSING] = False
    return AskedValues(of_code, groups + 1, news)


def _bands(
    column: Codes, records: Numbers, absent: npt.NDArray[np.bool_], apart: npt.NDArray[np.bool_]
) -> AskedValues | None:
    """Twenty bands of about as many people each, where there are many numbers or days; otherwise None."""
    used = np.flatnonzero((records > 0) & ~absent & ~apart)
    if len(used) <= MANY:
        return None
    numbers = in_order(column.values_of(used))
    there = ~np.isnan(numbers)
    if there.mean() < NEARLY_ALL or there.sum() <= MANY:
        return None
    codes, times = used[there], records[used[there]]
    order = np.argsort(numbers[there], kind="stable")
    codes, times = codes[order], times[order]
    middle = (np.cumsum(times) - times / 2) / times.sum()
    band = np.unique(np.minimum((BANDS * middle).astype(np.int64), BANDS - 1), return_inverse=True)[1]
    bands = int(band.max()) + 1
    of_code = np.arange(column.cardinality) + bands  # what is no number stays a value of its own
    of_code[codes] = band
    news = np.zeros(column.cardinality + bands, bool)
    news[of_code[(records > 0) & ~absent]] = True
    return AskedValues(of_code, len(news), news, bands)


def _by_chapter(column: Codes, records: Numbers, absent: npt.NDArray[np.bool_]) -> Iterator[AskedValues]:
    """Diagnoses of ICD-10 by their first letter."""
    used = [code for code in np.flatnonzero((records > 0) & ~absent).tolist() if code != MISSING]
    texts = {code: str(column.values[code - 1]).strip().upper() for code in used}
    codes = {code: text[0] for code, text in texts.items() if _ICD.fullmatch(text)}
    if len(codes) < max(2, MOST * len(texts)):
        return
    letters = {letter: place for place, letter in enumerate(sorted(set(codes.values())), 1)}
    of_code = np.zeros(column.cardinality, np.int64)
    for code, letter in codes.items():
        of_code[code] = letters[letter]
    if 1 < len(letters) < len(codes):
        yield grouped(of_code, len(letters), absent)


def _once(column: Codes, records: Numbers) -> Codes:
    """The codes that occur, each once."""
    return Codes(np.flatnonzero(records).astype(column.codes.dtype), column.values)


def in_order(values: Sequence[object]) -> npt.NDArray[np.float64]:
    """Values as numbers, days among them, also where all are written in some other way; NaN for the rest."""
    numbers = np.asarray([_ordered(value) for value in values], np.float64)
    return read_alike(values) if np.isnan(numbers).mean() > 1 - NEARLY_ALL else numbers


def _ordered(value: object) -> float:
    """A number or a day as a number; NaN for anything else."""
    if isinstance(value, str) and _DAY.fullmatch(value):
        try:
            value = date.fromisoformat(value)
        except ValueError:
            return float("nan")
    return float(value.toordinal()) if isinstance(value, date) else written_number(value)


def many_asked(asked: Sequence[AskedValues]) -> int:
    """How many values are asked about altogether."""
    return sum(int(one.news.sum()) - (one.bands > 1) for one in asked)
