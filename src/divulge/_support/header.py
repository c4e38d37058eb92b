"""Whether the first line of a table names its columns or is a record, whose values must not be printed."""

from __future__ import annotations

import re
from collections.abc import Sequence

LONGEST = 300  # characters of a name; what is longer is text about somebody
_KINDS = {
    "an e-mail address": r"[^\s@,;]+@[^\s@,;]+\.\w{2,}",
    "a web address": r"(?:https?|ftp)://\S+",
    "a piece of JSON": r"[\[{]?\s*[\"']?\w[^\"']*[\"']\s*:.*|[\[{]\s*[\"'].*|\[\s*\{.*",
    "an identity code": r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}|(?=[a-f]*\d)[0-9a-f]{16,}",
    "a phone number": r"(?:\+|00?|\()\d(?:[ ()/.-]{0,2}\d){7,}",
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


def value_kind(text: str) -> str | None:
    """What a text is where it looks like a value of a record and not like a name.

    >>> [value_kind(text) for text in ("age", "34", "1985-03-02", "ann@example.org", "q1")]
    [None, 'a number', 'a date', 'an e-mail address', None]
    """
    stripped = text.strip()
    if len(stripped) > LONGEST:
        return "a long text"
    return next((kind for kind, pattern in _PATTERNS.items() if pattern.fullmatch(stripped)), None)


def names_look_like_values(names: Sequence[str]) -> bool:
    """Whether names of columns may be values of a record, so that a message must not repeat them.

    >>> names_look_like_values(["age", "sex"]), names_look_like_values(["34", "M", "flu"])
    (False, True)
    >>> names_look_like_values(["country", "2019", "2020", "2021"])
    False
    """
    kinds = [value_kind(name) for name in names]
    series = _series(names)
    return any(kind is not None and place not in series for place, kind in enumerate(kinds))


def is_record(fields: Sequence[str], rows: Sequence[Sequence[str]]) -> bool:
    """Whether a first line is a record like the ``rows`` below it.

    It is if it holds what no column is called (an address, a long text). Otherwise its fields vote: a number
    above numbers, or a text that its column has again below, speaks for a record; a word above numbers
    speaks for a header.
    """
    kinds = [value_kind(field) for field in fields]
    if any(kind is not None and kind not in _POSSIBLE_NAMES for kind in kinds):
        return True
    below = [row for row in rows if len(row) == len(fields) and list(row) != list(fields)]
    if not below:
        return names_look_like_values(fields)
    series = _series(fields)
    record = header = recurring = 0
    for place, (field, kind) in enumerate(zip(fields, kinds, strict=True)):
        values = [row[place].strip() for row in below]
        values = [value for value in values if value.casefold() not in _NOTHING]
        if field.strip().casefold() in _NOTHING or not values or place in series:
            continue
        same = sum(value_kind(value) == kind for value in values) / len(values) >= _ALIKE
        if kind is not None:
            record += same
        elif not same:
            header += 1
        elif field.strip() in values and len(set(values)) > 1:
            recurring += 1
    if recurring >= 2 or (recurring and 2 * recurring >= len(fields)):
        record += recurring
    return record > header


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
