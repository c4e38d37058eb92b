"""Days whose month is a word, months and quarters: 12 Mar 2019, March 12, 2019, Mar 2019, Q3 2019."""

from __future__ import annotations

import re
import unicodedata
from datetime import date

#: The first letters of each month, in English, German, French, Spanish, Italian, Portuguese and Dutch.
MONTHS = (
    "jan ene gen",
    "feb fev",
    "mar mrz maer maa mrt",
    "apr abr avr",
    "may mai mei mag",
    "jun juin giu",
    "jul juil lug",
    "aug ago aou",
    "sep set",
    "oct okt ott out",
    "nov",
    "dec dez dic",
)
NONE = float("nan")

_OF = {start: month for month, starts in enumerate(MONTHS, 1) for start in starts.split()}
_STARTS = "|".join(sorted(_OF, key=len, reverse=True))
_NAME = rf"(?P<name>{_STARTS})[a-z]{{0,8}}\.?"
_YEAR = r"(?P<year>(?:1[89]|20|21)\d\d)"
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th|er|º|°)?"
_NEXT = r"(?:[-/. ]+|, ?|\.? (?:of|de) )"
_MOMENT = r"(?:[T ,]+\d{1,2}:\d\d.*)?"
_WAYS = tuple(
    re.compile(way + _MOMENT)
    for way in (
        rf"(?:{_DAY}{_NEXT})?{_NAME}{_NEXT}{_YEAR}",
        rf"{_NAME} {_DAY},? {_YEAR}",
        rf"{_YEAR}{_NEXT}{_NAME}(?:{_NEXT}{_DAY})?",
        rf"q(?P<quarter>[1-4]){_NEXT}?{_YEAR}",
        rf"{_YEAR}{_NEXT}?q(?P<quarter>[1-4])",
    )
)


def day_in_words(text: str) -> float:
    """A day, or the first of a month or a quarter, as a number; NaN for what names neither.

    >>> found = map(day_in_words, ["12 Mar 2019", "März 2019", "Sept. 1st, 2019", "2019 Q3", "ward 2019"])
    >>> [date.fromordinal(int(one)).isoformat() if one == one else None for one in found]
    ['2019-03-12', '2019-03-01', '2019-09-01', '2019-07-01', None]
    """
    if not text[-1:].isalnum() or len(text) > 40:
        return NONE
    plain = "".join(sign for sign in unicodedata.normalize("NFKD", text) if not unicodedata.combining(sign))
    found = next(filter(None, (way.fullmatch(plain.casefold()) for way in _WAYS)), None)
    if found is None:
        return NONE
    parts = found.groupdict()
    month = 3 * int(parts["quarter"]) - 2 if parts.get("quarter") else _OF[parts["name"]]
    try:
        return float(date(int(parts["year"]), month, int(parts.get("day") or 1)).toordinal())
    except ValueError:
        return NONE
