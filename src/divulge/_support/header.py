"""Whether the first line of a table names its columns or is a record, whose values must not be printed."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import Literal

FIRST_ROWS = 10  # among which the names of columns are looked for below a title
LONGEST_WORD = 60  # characters of a name of a column below a title
LONGEST = 300  # characters of a name; what is longer is text about somebody
_KINDS = {
    "an e-mail address": r"(?:.*[\s:<(])?[^\s@,;]+@[^\s@,;]+\.\w{2,}(?:[\s>)].*)?",
    "a web address": r"(?:https?|ftp)://\S+",
    "a piece of JSON": r"[\[{]?\s*[\"']?\w[^\"']*[\"']\s*:.*|[\[{]\s*[\"'].*|\[\s*\{.*",
    "an identity code": r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}|(?=[a-f]*\d)[0-9a-f]{16,}",
    "a phone number": r"(?:.*[\s:])?(?:\+|00?|\()\d(?:[ ()/.-]{0,2}\d){7,}(?:\s.*)?",
    "a network address": r"\d{1,3}(?:\.\d{1,3}){3}",
    "a date": r"(?:\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}|\d{1,2}\.?[ -]?[a-z]{3,9}\.?[ -]?\d{2,4})"
    r"(?:[ t]+\d{1,2}:\d{2}.*)?",
    "a time": r"\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?(?: ?[ap]m)?",
    "a number": r"[-+]?[€$£]?\s?(?:\d[\d.,' ]*|[.,]\d+)(?:e[-+]?\d+)?\s?[%€$£]?",
}
_PATTERNS = {kind: re.compile(pattern, re.IGNORECASE | re.DOTALL) for kind, pattern in _KINDS.items()}
_POSSIBLE_NAMES = {
    "a date",
    "a time",
    "a number",
}  # tables with a column for each year or day have such names
_NOTHING = {"", "?", "-", "--", ".", "*", "na", "n/a", "nan", "nil", "null", "none", "unknown"}
_ALIKE = 0.8  # the share of a column's values that make its kind
_HARDLY = 0.001  # how likely a record may be to look like a header where all columns hold words


def value_kind(text: str) -> str | None:
    """What a text is where it looks like a value of a record and not like a name.

    >>> [value_kind(text) for text in ("age", "34", "1985-03-02", "ann@example.org", "q1")]
    [None, 'a number', 'a date', 'an e-mail address', None]
    """
    stripped = text.strip()
    if len(stripped) > LONGEST:
        return "a long text"
    return next((kind for kind, pattern in _PATTERNS.items() if pattern.fullmatch(stripped)), None)


class DoubtfulName(str):
    """The name of an attribute that may be a value of a record: messages count it and do not repeat it."""

    __slots__ = ()


class FirstLineName(DoubtfulName):
    """A name in a first line that may be a record; a role given by it says that it is a name."""

    __slots__ = ()


def names_look_like_values(names: Sequence[str]) -> bool:
    """Whether names of columns may be values of a record, so that a message must not repeat them.

    >>> names_look_like_values(["age", "sex"]), names_look_like_values(["34", "M", "flu"])
    (False, True)
    >>> names_look_like_values(["country", "2019", "2020", "2021"])
    False
    """
    kinds = [value_kind(name) for name in names]
    series = _series(names)
    return any(
        isinstance(name, DoubtfulName) or (kind is not None and place not in series)
        for place, (name, kind) in enumerate(zip(names, kinds, strict=True))
    )


@dataclass(frozen=True)
class _Column:
    """A field of the first line, and what is below it: values, their share of its kind, and of any."""

    field: str
    kind: str | None
    values: list[str]
    alike: float
    of_a_kind: float

    @property
    def recurs(self) -> bool:
        return self.field in self.values

    @property
    def chance_of_a_new_value(self) -> float:
        """How likely a further record has a new value, told by those that occur once (Good-Turing)."""
        once = sum(times == 1 for times in Counter(self.values).values())
        return (once + 1) / (len(self.values) + 1)


def first_line(fields: Sequence[str], rows: Sequence[Sequence[str]]) -> Literal["names", "record", "unclear"]:
    """What a first line is, beside the ``rows`` below it.

    It is a record if it holds what no column is called (an address, a long text), or `*` above others.
    Otherwise its fields vote: a number above numbers, `*`, or a text that its column has again below,
    speaks for a record; a word above numbers speaks for a header.

    The fields are surely names only if none of them recurs, and if one stands above numbers, dates or the
    like, or if values recur so much in several columns that a record would hardly have new ones in all.

    >>> rows = [("34", "flu"), ("51", "cold")]
    >>> first_line(["age", "illness"], rows), first_line(["29", "cold"], rows)
    ('names', 'record')
    >>> first_line(["Ann", "Oslo"], [("Bo", "Rome"), ("Cy", "Bern")])
    'unclear'
    """
    kinds = [value_kind(field) for field in fields]
    if any(kind is not None and kind not in _POSSIBLE_NAMES for kind in kinds):
        return "record"
    below = [row for row in rows if len(row) == len(fields) and list(row) != list(fields)]
    if not below:
        return "record" if names_look_like_values(fields) else "unclear"
    suppressed = [place for place, field in enumerate(fields) if field.strip() == "*"]
    if any(row[place].strip() == "*" for row in below for place in suppressed):
        return "record"
    series = _series(fields)
    columns = [
        column
        for place, (field, kind) in enumerate(zip(fields, kinds, strict=True))
        if place not in series and (column := _column(field, kind, [row[place] for row in below]))
    ]
    same = [column for column in columns if column.alike >= _ALIKE]
    again = sum(one.kind is None and one.recurs and len(set(one.values)) > 1 for one in same)
    record = len(suppressed) + sum(one.kind is not None for one in same)
    record += again if again >= 2 or 2 * again >= len(fields) else 0
    if record > sum(one.kind is None and one.alike < _ALIKE for one in columns):
        return "record"
    if any(one.recurs for one in columns):
        return "unclear"
    differs = bool(series) or any(one.kind is None and one.of_a_kind >= _ALIKE for one in columns)
    words = prod(one.chance_of_a_new_value for one in columns if one.kind is None)
    return "names" if differs or words < _HARDLY else "unclear"


def names_below(rows: Sequence[Sequence[str]]) -> int | None:
    """The place of the row that surely names the columns, where the first is a title above it.

    A title fills one cell, or fewer than half; the names fill every cell, with different words.

    >>> names_below([["Extract 2025", ""], ["age", "illness"], ["34", "flu"]])
    1
    >>> names_below([["age", ""], ["34", "flu"]]) is None
    True
    """
    filled = [sum(bool(field.strip()) for field in row) for row in rows[:FIRST_ROWS]]
    width = max(map(len, rows[:FIRST_ROWS]), default=0)
    if width < 2 or not filled or not (filled[0] == 1 or 0 < 2 * filled[0] < width):
        return None
    place = next((place for place, many in enumerate(filled) if many == width), None)
    if place is None or len({field.strip().casefold() for field in rows[place]}) < width:
        return None
    words = all(value_kind(field) is None and len(field) <= LONGEST_WORD for field in rows[place])
    return place if words and first_line(rows[place], rows[place + 1 :]) == "names" else None


def _column(field: str, kind: str | None, values: Sequence[str]) -> _Column | None:
    """A column that can be compared with its name; none where either is missing."""
    known = [text for value in values if (text := value.strip()).casefold() not in _NOTHING]
    if field.strip().casefold() in _NOTHING or not known:
        return None
    kinds = [value_kind(value) for value in known]
    alike = sum(one == kind for one in kinds) / len(known)
    return _Column(field.strip(), kind, known, alike, sum(one is not None for one in kinds) / len(known))


def _series(names: Sequence[str]) -> set[int]:
    """The places of whole numbers that count on in equal steps, three or more side by side."""
    numbers = [int(name) if re.fullmatch(r"\d{1,6}", name) else None for name in names]
    found: set[int] = set()
    for place in range(len(numbers) - 2):
        first, second, third = numbers[place : place + 3]
        if first is None or second is None or third is None:
            continue
        if second - first == third - second != 0:
            found |= {place, place + 1, place + 2}
    return found
