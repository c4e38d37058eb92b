"""Texts that were declared missing though they look like values: every check would pass over them."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass, field, replace

from divulge.questions.data import Data
from divulge.roles.contacts import contacts_in
from divulge.roles.missing_codes import means_missing, number_meaning_missing
from divulge.roles.patterns import PATTERNS, year
from divulge.roles.personal_names import full_names
from divulge.table.schema import Role

DOZEN = 12  # different texts of an attribute up to which they may be ways to say that a value is missing
SOME = 3  # of them from which on names, dates and official numbers are values
MOST = 0.5  # of the different values of an attribute
_PLACEHOLDER = re.compile(r".*\b(?:0?1[-/.]0?1|12[-/.]31|31[-/.]12)\b.*")


@dataclass(frozen=True)
class DeclaredMissing:
    """An attribute, and how many of its different texts are declared missing though they look like values."""

    attribute: str
    texts: int = field(repr=False)


def declared_missing(data: Data) -> list[DeclaredMissing]:
    """The attributes of which so many values, or such values, are declared missing that they are doubtful.

    >>> from divulge.questions.data import read
    >>> table = {"age": ["20-34", "35-49", "50-64", "65+"], "job": ["NA", "-9", "cook", "nurse"]}
    >>> declared_missing(read(table, missing_values=["NA", "-9"]))
    []
    >>> declared_missing(read(table, missing_values=["NA", "20-34", "35-49", "50-64"]))
    [DeclaredMissing(attribute='age')]
    """
    texts = frozenset(text for text in data.missing_values if text.strip() and not means_missing(text))
    if len(texts) < SOME:
        return []
    memo = data.memo("declared missing")
    if texts not in memo:
        memo[texts] = _declared(data, texts)
    found: list[DeclaredMissing] = memo[texts]
    return found


def _declared(data: Data, texts: frozenset[str]) -> list[DeclaredMissing]:
    doubtful = frozenset(text for text in texts if not number_meaning_missing(text))
    of_people, found = _of_people(doubtful), []
    for name in data.released_attributes:
        every, of_all, of_doubtful = (
            replace(data, missing_values=some).summary(name).distinct
            for some in (frozenset[str](), texts, doubtful)
        )
        hidden, strange = every - of_all, every - of_doubtful
        if hidden > DOZEN or (strange >= SOME and (of_people or strange > MOST * every)):
            found.append(DeclaredMissing(name, hidden))
    return found


def as_written(data: Data) -> Data:
    """The same data without what is declared missing, where that hides values; otherwise the data."""
    return replace(data, missing_values=frozenset()) if declared_missing(data) else data


def _of_people(texts: Collection[str]) -> bool:
    """Whether some of the texts are names, dates, contacts or official numbers."""
    bare = [text.strip() for text in texts]
    kinds = [one for one in PATTERNS if one.role is Role.IDENTIFIER]
    telling = sum(
        (year(text) is not None and not _PLACEHOLDER.fullmatch(text))
        or full_names([text])
        or any(kind.fits(text) for kind in kinds)
        for text in bare
    )
    return telling >= SOME or contacts_in(bare) is not None
