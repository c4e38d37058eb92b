"""An attribute as it is looked at: how many values it has, and how some of them are spelled."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from divulge._support.threads import cached_property
from divulge.questions.data import Data
from divulge.roles.contacts import MAIL, contacts_in, has_mail
from divulge.roles.decoded import decoded
from divulge.roles.free_text import remarks, sentences
from divulge.roles.missing_codes import means_missing
from divulge.roles.patterns import PATTERNS, Pattern, written_number, year
from divulge.roles.personal_names import full_names, how_many_full_names, like_names, may_be_names
from divulge.roles.vocabulary import of_names
from divulge.table.codes import Codes
from divulge.table.schema import Role

LOOKED_AT = 1000  # different values of an attribute whose spelling is looked at, evenly spread
READ = 20_000  # texts that are read for contacts inside of them; all at hand are for e-mail addresses
MOST = 0.8  # share of the values from which on a pattern is believed
NEARLY_ALL = 0.95
FEW = 20  # records or values below which that all differ says nothing
FEW_NAMES = 3  # values below which words that are given names may be anything
SOME_NAMES, NAMED = 20, 0.1  # full names from which on an attribute has some, and is full of them

ValueKind = Literal["date", "whole number", "decimal number", "text"]


@dataclass(eq=False)
class ObservedColumn:
    """How many records and different values an attribute has, and how some of these are spelled."""

    name: str
    records: int = field(repr=False)
    present: int = field(repr=False)  # records with a value
    distinct: int
    sample: tuple[str, ...] = field(repr=False)
    contains: str = ""  # contacts that some of its texts have inside
    searched: bool = True  # whether every value was looked at for e-mail addresses

    @classmethod
    def of(cls, data: Data, attribute: str) -> ObservedColumn:
        """The attribute, looked at once however often it is asked for."""
        memo: dict[Any, ObservedColumn] = data.memo("observed")
        asked = attribute, data.missing_values, data.suppressed
        if asked not in memo:
            found = data.summary(attribute, LOOKED_AT)
            spelled = (_spelled(value) for value in found.sample)
            sample = tuple(text for text in spelled if text != data.suppressed and _says_something(text))
            column = cls(attribute, data.records, found.present, found.distinct, sample)
            texts = any(isinstance(value, str) for value in found.sample)
            column.contains, column.searched = _contained(data, column, texts)
            memo[asked] = column
        return memo[asked]

    @property
    def differing(self) -> float:
        """Different values per record that has one: 1 where each has its own."""
        return self.distinct / self.present if self.present else 0.0

    @cached_property
    def kind(self) -> ValueKind:
        enough = max(1, NEARLY_ALL * len(self.sample))
        if sum(year(text) is not None for text in self.sample) >= enough:
            return "date"
        numbers = [number for text in self.sample if (number := written_number(text)) == number]
        if len(numbers) < enough:
            return "text"
        return "whole number" if all(number == int(number) for number in numbers) else "decimal number"

    @cached_property
    def patterns(self) -> tuple[Pattern, ...]:
        """The kinds of values that most of its values are of, what counts most first."""
        return tuple(pattern for pattern in PATTERNS if pattern.fits_most(self.sample, MOST))

    def pattern(self, *roles: Role) -> Pattern | None:
        """The first kind of values that an attribute of one of these roles has."""
        return next((pattern for pattern in self.patterns if pattern.role in roles), None)

    @cached_property
    def has_full_names(self) -> bool:
        """Whether most values are full names, or many of them whatever the others are."""
        if self.distinct < FEW_NAMES:
            return False
        return full_names(self.sample) or (self.has_some_names and self._named >= NAMED * len(self.sample))

    @property
    def has_some_names(self) -> bool:
        """Whether some values are full names with common given names, though most are anything else."""
        return self._named >= SOME_NAMES

    @cached_property
    def _named(self) -> int:
        return how_many_full_names(self.sample)

    @cached_property
    def is_called_names(self) -> bool:
        """Whether it is called first or last name, or the like, and can be such, however few its values."""
        called = of_names(self.name)
        if called is None or self.kind != "text" or not may_be_names(self.sample):
            return False
        return called == "surely" or like_names(self.sample)

    @cached_property
    def is_written_freely(self) -> bool:
        """Whether its values are texts that someone wrote: called so, or many of several words."""
        text = self.kind == "text"
        return text and (remarks(self.name, self.sample) or sentences(self.sample, self.distinct))

    @property
    def is_free_text(self) -> bool:
        """Whether nearly every record has a text of its own, such as a street with a house number."""
        return self.kind == "text" and self.present >= FEW and self.differing >= NEARLY_ALL

    @property
    def tells_people_apart(self) -> bool:
        """Whether there are values enough, or contacts: a column 'telephone' may say yes or no."""
        return self.distinct >= min(FEW, self.present / 2) or contacts_in(self.sample) is not None


def _contained(data: Data, column: ObservedColumn, texts: bool) -> tuple[str, bool]:
    """The contacts that values have inside, where they are not all it has, and whether all were looked at."""
    pattern = column.pattern(Role.IDENTIFIER)
    if pattern is not None and pattern.names:
        return "", True
    every, read = column.distinct <= LOOKED_AT, list[object](column.sample)
    if not every and column.kind == "text":
        read = data.summary(column.name, READ).sample
    contacts = contacts_in([decoded(text) for text in read]) if column.kind == "text" else None
    if contacts is None and not every and (texts or data.engine.kind in ("memory", "gpu")):
        listed = data.all_values(column.name)
        every = listed is not None or len(read) >= column.distinct
        contacts = MAIL if listed is not None and _have_mail(*listed) else None
    elif contacts is None and any(map(has_mail, read)):
        contacts = MAIL
    return contacts or "", every or not texts or contacts is not None


def _have_mail(codes: Codes, counts: npt.NDArray[np.int64]) -> bool:
    """Whether a record has a value with an e-mail address."""
    return any(counts[place] for place, value in enumerate(codes.values, 1) if has_mail(value))


def _says_something(text: str) -> bool:
    return bool(text) and not means_missing(text)


def _spelled(value: object) -> str:
    if isinstance(value, date):
        return value.isoformat()
    return decoded(value)
