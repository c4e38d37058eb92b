"""Roles proposed for attributes nobody gave one, each with reasons a steward can check."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from enum import Enum
from functools import cached_property

from divulge.data import Data, as_number
from divulge.errors import SchemaError
from divulge.patterns import PATTERNS, year
from divulge.schema import Role
from divulge.vocabulary import Meaning, meanings

MOST_ATTRIBUTES = 1000  # beyond so many, somebody has to say which matter
LOOKED_AT = 1000  # different values of an attribute whose spelling is looked at, evenly spread
MOST = 0.8  # share of the values from which on a pattern is believed
NEARLY_ALL = 0.95
FEW = 20  # records or values below which that all differ says nothing
DECADES = 40  # years from which on dates look like dates of birth


@dataclass(frozen=True)
class Proposed:
    """The role an attribute probably has, and why; no reason names a value."""

    attribute: str
    role: Role
    reasons: tuple[str, ...]


def propose(data: Data, attributes: Sequence[str] | None = None) -> tuple[Proposed, ...]:
    """A role for every attribute or some, from name, type, and how values look and repeat.

    >>> from divulge.data import read
    >>> table = {"age": [34, 34, 57], "disease": ["flu", "cold", "flu"]}
    >>> [(proposed.attribute, proposed.role.value) for proposed in propose(read(table))]
    [('age', 'quasi-identifier'), ('disease', 'sensitive')]
    """
    attributes = data.schema.attributes if attributes is None else attributes
    if len(attributes) > MOST_ATTRIBUTES:
        raise SchemaError(
            f"{len(attributes):,} attributes have no role, and suggestions are made for {MOST_ATTRIBUTES:,}.",
            hint="Give the roles yourself: --quasi-identifiers A,B --sensitive X, or a policy.",
        )
    if not data.distant:
        data.load(attributes)
    return tuple(_proposed(_Column.of(data, attribute)) for attribute in attributes)


class _Kind(Enum):
    DATE = "date"
    WHOLE = "whole number"
    DECIMAL = "decimal number"
    TEXT = "text"


@dataclass(frozen=True)
class _Column:
    """What is looked at: how many records and different values there are, and how some are spelled."""

    name: str
    records: int
    present: int  # records with a value
    distinct: int
    sample: tuple[str, ...]

    @classmethod
    def of(cls, data: Data, attribute: str) -> _Column:
        found = data.summary(attribute, LOOKED_AT)
        texts = (_spelled(value) for value in found.sample)
        sample = tuple(text for text in texts if text and text != data.suppressed)
        return cls(attribute, data.records, found.present, found.distinct, sample)

    @property
    def differing(self) -> float:
        """Different values per record that has one: 1 where each has its own."""
        return self.distinct / self.present if self.present else 0.0

    @cached_property
    def kind(self) -> _Kind:
        enough = max(1, NEARLY_ALL * len(self.sample))
        if sum(year(text) is not None for text in self.sample) >= enough:
            return _Kind.DATE
        numbers = [number for text in self.sample if (number := _number(text)) == number]
        if len(numbers) < enough:
            return _Kind.TEXT
        return _Kind.WHOLE if all(number == int(number) for number in numbers) else _Kind.DECIMAL


_Clue = tuple[Role, str]


def _proposed(column: _Column) -> Proposed:
    """The role of the first clue, with the reasons of all clues that agree."""
    clues = [clue for rule in _RULES for clue in rule(column)] or [_nothing(column)]
    role = clues[0][0]
    return Proposed(column.name, role, tuple(dict.fromkeys(why for whose, why in clues if whose == role)))


def _from_sameness(column: _Column) -> Iterator[_Clue]:
    if column.present == 0:
        yield Role.OTHER, "no record has a value"
    elif column.distinct == 1 and column.present == column.records:
        yield Role.OTHER, "all records have the same value"


def _from_patterns(column: _Column, *roles: Role) -> Iterator[_Clue]:
    for pattern in PATTERNS:
        if pattern.role in roles and (share := pattern.share(column.sample)) >= MOST:
            yield pattern.role, f"{_percent(share)} of its values look like {pattern.looks_like}"
            return


def _from_identifying_patterns(column: _Column) -> Iterator[_Clue]:
    if _tells_people_apart(column):
        yield from _from_patterns(column, Role.IDENTIFIER)


def _from_other_patterns(column: _Column) -> Iterator[_Clue]:
    yield from _from_patterns(column, Role.QUASI_IDENTIFIER, Role.SENSITIVE)
    words = {text.casefold() for text in column.sample}
    if len(words & _SEXES) > 1 and words <= _SEXES | _NEITHER:
        yield Role.QUASI_IDENTIFIER, "its values are those of sex or gender"


_SEXES = {"m", "f", "w", "male", "female", "man", "woman", "männlich", "weiblich", "homme", "femme"}
_SEXES |= {"hombre", "mujer", "maschio", "femmina"}
_NEITHER = {"d", "divers", "x", "o", "other", "u", "unknown", "non-binary"}


def _from_name(column: _Column) -> Iterator[_Clue]:
    """The first thing its name says that its values do not gainsay."""
    for meaning in meanings(column.name):
        if _believed(meaning, column):
            yield meaning.role, f"its name says {meaning.says}"
            return


def _believed(meaning: Meaning, column: _Column) -> bool:
    if meaning.vague:
        enough = 1 if column.present < FEW else 0.5
        return column.differing >= enough and column.kind is not _Kind.DECIMAL
    if meaning.role is Role.IDENTIFIER:
        return _tells_people_apart(column)
    return not (meaning.role is Role.QUASI_IDENTIFIER and _is_free_text(column))


def _is_free_text(column: _Column) -> bool:
    """Whether nearly every record has a text of its own, such as a street with a house number."""
    return column.kind is _Kind.TEXT and column.present >= FEW and column.differing >= NEARLY_ALL


def _from_uniqueness(column: _Column) -> Iterator[_Clue]:
    every = column.differing == 1
    own = f"{'every' if every else 'nearly every'} record has a value of its own"
    if _is_free_text(column):
        yield Role.IDENTIFIER, own
    elif column.kind is _Kind.TEXT and column.present >= FEW and column.differing >= 0.5:
        yield Role.QUASI_IDENTIFIER, "it has more than half as many texts as records"
    elif column.kind is _Kind.WHOLE and column.present >= FEW and every:
        for like in _like_given_out(column):
            yield Role.IDENTIFIER, own
            yield Role.IDENTIFIER, like


def _like_given_out(column: _Column) -> Iterator[str]:
    """How numbers that all differ show that they were given out and not measured."""
    numbers = [int(number) for text in column.sample if (number := _number(text)) == number]
    lengths = {len(str(number)) for number in numbers}
    if max(numbers) - min(numbers) < 2 * column.distinct:
        yield "its numbers run on nearly without gaps"
    elif len(lengths) == 1 and max(lengths) > 5:
        yield "all its numbers have the same number of digits"


def _from_dates(column: _Column) -> Iterator[_Clue]:
    if column.kind is _Kind.DATE:
        years = sorted(found for text in column.sample if (found := year(text)) is not None)
        cut = len(years) // 20
        if years[-1 - cut] - years[cut] >= DECADES:
            yield Role.QUASI_IDENTIFIER, "its dates span decades, as dates of birth do"
        else:
            yield Role.QUASI_IDENTIFIER, "its values are dates, which others may know"


def _nothing(column: _Column) -> _Clue:
    numbers = column.kind in (_Kind.WHOLE, _Kind.DECIMAL)
    if column.present >= FEW and numbers and column.differing >= 0.5:
        return Role.OTHER, "its numbers mostly differ, as measurements do"
    return Role.OTHER, "neither its name nor its values say that it identifies or is sensitive"


# In this order: what values are outweighs what a name says, and a name outweighs how values repeat.
_RULES: tuple[Callable[[_Column], Iterator[_Clue]], ...] = (
    _from_sameness,
    _from_identifying_patterns,
    _from_name,
    _from_other_patterns,
    _from_uniqueness,
    _from_dates,
)


def _tells_people_apart(column: _Column) -> bool:
    """Whether there are values enough: a column 'telephone' may say yes or no."""
    return column.distinct >= min(FEW, column.present / 2)


def _spelled(value: object) -> str:
    if isinstance(value, date):
        return value.isoformat()
    return str(value).strip()


def _number(text: str) -> float:
    """The number a text is, with a currency, a percent sign or a decimal comma too; otherwise NaN."""
    if (number := as_number(text)) == number:
        return number
    bare = re.sub(r"^[$€£]\s*|\s*[$€£%kK]$", "", text)
    if re.fullmatch(r"[+-]?\d+,\d{1,2}|[+-]?\d{1,3}(?:\.\d{3})+,\d+", bare):
        bare = bare.replace(".", "").replace(",", ".")
    elif re.fullmatch(r"[+-]?\d{1,3}(?:[, ']\d{3})+(?:\.\d+)?", bare):
        bare = re.sub("[, ']", "", bare)
    return as_number(bare)


def _percent(share: float) -> str:
    return "all" if share == 1 else f"{int(100 * share)} %"
