"""What is asked about a sensitive attribute: its values, bands of its numbers, groups of its codes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any, Literal, TypeGuard

import numpy as np
import numpy.typing as npt

from divulge._support.threads import cached_property
from divulge.assessment.inference.asked.dates_in_words import day_in_words
from divulge.assessment.inference.asked.number_spellings import LOOKED_AT, read_alike, read_loosely
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
ORDERED = 3  # numbers from which on there is a range that is neither one of them nor all
NEARLY_ALL = 0.95
HALF = 0.5  # of the texts with a number in them, from which on these are looked at
MOST = 0.8
SURE = 0.9  # from which on what is asked roughly is learned
BEYOND_DOUBT = 0.998  # the same of what is below or above a limit, which any dependence makes likely

_ICD = re.compile(r"[A-TV-Z]\d[\dA-Z](?:\.?[\dA-Z]{1,4})?", re.IGNORECASE)
_DAY = re.compile(r"\d{4}-\d\d-\d\d")


Limit = Literal["", "at most", "at least"]
Kind = Literal["value", "range", "part"]


@dataclass(frozen=True, eq=False)
class AskedValues:
    """One way to ask: a number for each code, and which of the numbers would be news.

    Of the first ``bands`` numbers, neighbours in an order, any two that follow each other are asked as one;
    with a ``limit`` each is asked together with all before it, or with all after it. What is ``rough`` may
    be common, and is asked only where it becomes all but certain, beyond chance. Where only those with a
    ``known`` value are asked about, ``unknown`` numbers say that there is none.
    """

    of_code: Numbers
    values: int
    news: npt.NDArray[np.bool_]
    bands: int = 0
    plain: bool = False  # whether codes stand for themselves
    rough: bool = False
    limit: Limit = ""
    kind: Kind = "value"
    unknown: Numbers | None = None
    known: bool = False

    @property
    def sure(self) -> float:
        """The share from which on it is learned, where a level asks for less."""
        return BEYOND_DOUBT if self.limit else SURE if self.rough else 0.0

    @property
    def by_two(self) -> bool:
        """Whether two neighbours are asked as one."""
        return self.bands > 1 and not self.limit

    def numbered(self, codes: Numbers) -> Numbers:
        """The number of each code."""
        return codes if self.plain else self.of_code[codes]


@dataclass(frozen=True, eq=False)
class SensitiveAnswers:
    """What an attribute's codes say: which are no answer, and which are numbers, read once for all ways."""

    column: Codes
    records: Numbers = field(repr=False)  # how many have each code
    suppressed: int | None = field(default=None, repr=False)

    @cached_property
    def absent(self) -> npt.NDArray[np.bool_]:
        return no_answer(self.column, self.records, self.suppressed)

    @cached_property
    def apart(self) -> npt.NDArray[np.bool_]:
        return outliers(self.column, self.records, self.absent)

    @cached_property
    def used(self) -> Numbers:
        """The codes of answers."""
        return np.flatnonzero((self.records > 0) & ~self.absent)

    @cached_property
    def near(self) -> Numbers:
        """The codes of answers that are not numbers far from all others."""
        return self.used[~self.apart[self.used]]

    @cached_property
    def numbers(self) -> npt.NDArray[np.float64]:
        """The number, or day, that each of the near ones is; NaN for what is none."""
        return in_order(self.column.values_of(self.near))

    @cached_property
    def are_numbers(self) -> bool:
        """Whether nearly all are."""
        return bool(len(self.near)) and not float(np.isnan(self.numbers).mean()) > 1 - NEARLY_ALL

    @cached_property
    def have_words(self) -> bool:
        """Whether nearly all are texts, or days whose month is a word: these have parts too."""
        some = self.column.values_of(self.near[:LOOKED_AT])
        return not self.are_numbers or any(map(np.isfinite, map(day_in_words, filter(_is_text, some))))

    @cached_property
    def loosely(self) -> npt.NDArray[np.float64] | None:
        """The numbers that texts have in them, such as ``20-29`` and ``500 p.a.``; None where few do."""
        if self.are_numbers or not len(self.near):
            return None
        few, step = len(self.near) <= MANY, max(len(self.near) // LOOKED_AT, 1)
        for part in (self.near[::step], self.near) if step > 1 else (self.near,):
            found = read_loosely(self.column.values_of(part), units_only=few)
            if np.isfinite(found).mean() < HALF:
                return None
        return found

    @cached_property
    def unknown(self) -> Numbers | None:
        """The codes that some records have and that are no answer; None where there are none.

        A suppressed value is none of them: it may be anything, so it makes the others less certain.
        """
        there = (self.records > 0) & self.absent
        if self.suppressed is not None:
            there[self.suppressed] = False
        found = np.flatnonzero(there)
        return found if len(found) else None


def asked_values(
    answers: SensitiveAnswers, partition: Partition | None, hierarchy: Hierarchy | None, attribute: str
) -> list[AskedValues]:
    """Every way to ask about an attribute's values, bands and groups."""
    column, records, absent = answers.column, answers.records, answers.absent
    first = _bands(answers, answers.numbers) if answers.are_numbers else None
    found = [first or _plain(answers)]
    groups = [] if partition is None else [partition]
    groups += [] if hierarchy is None else [hierarchy.level(n) for n in range(1, hierarchy.levels + 1)]
    for group in groups:
        applied = group.apply(_once(column, records), attribute=attribute)
        of_code = np.zeros(column.cardinality, np.int64)
        of_code[np.flatnonzero(records)] = applied.codes
        found.append(grouped(of_code, len(applied.values), absent))
    found += _by_chapter(column, records, absent)
    if answers.loosely is not None and (bands := _bands(answers, answers.loosely)) is not None:
        found.append(bands)
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


def _plain(answers: SensitiveAnswers) -> AskedValues:
    codes = answers.column.cardinality
    return AskedValues(np.arange(codes), codes, ~answers.absent, plain=True, unknown=answers.unknown)


def grouped(of_code: Numbers, groups: int, absent: npt.NDArray[np.bool_]) -> AskedValues:
    """Groups of values; one whose values all mean missing is no news, nor is what belongs to none."""
    news = np.zeros(groups + 1, bool)
    news[of_code[~absent]] = True
    news[MISSING] = False
    return AskedValues(of_code, groups + 1, news)


def _bands(answers: SensitiveAnswers, numbers: npt.NDArray[np.float64]) -> AskedValues | None:
    """Twenty bands of about as many people each, where there are many numbers or days; otherwise None."""
    there, column = ~np.isnan(numbers), answers.column
    if there.sum() <= MANY:
        return None
    codes = answers.near[there]
    band = equal_bands(numbers[there], answers.records[codes], BANDS)
    bands = int(band.max()) + 1
    of_code = np.arange(column.cardinality) + bands  # what is no number stays a value of its own
    of_code[codes] = band
    news = np.zeros(column.cardinality + bands, bool)
    news[of_code[answers.used]] = True
    unknown = None if answers.unknown is None else of_code[answers.unknown]
    return AskedValues(of_code, len(news), news, bands, kind="range", unknown=unknown)


def equal_bands(numbers: npt.NDArray[np.float64], people: Numbers, most: int) -> Numbers:
    """The band of each number, of up to so many of about as many people each; equal numbers share one."""
    value, place = np.unique(numbers, return_inverse=True)
    times = np.bincount(place, people, len(value))
    middle = (np.cumsum(times) - times / 2) / times.sum()
    band = np.minimum((most * middle).astype(np.int64), most - 1)
    found: Numbers = np.unique(band, return_inverse=True)[1][place]
    return found


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


def _is_text(value: object) -> TypeGuard[str]:
    return isinstance(value, str)


def many_asked(asked: Sequence[AskedValues]) -> int:
    """How many values are asked about altogether."""
    return sum(int(one.news.sum()) - one.by_two for one in asked)
