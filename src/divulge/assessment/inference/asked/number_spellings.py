"""Numbers and days as people write them: 50,012, 50.012,00, € 50012, 50.01K, 12 %, 31/12/2020, Q3 2019."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Sequence
from datetime import date
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from divulge.alignment.recognition import interval
from divulge.assessment.inference.asked.dates_in_words import day_in_words
from divulge.table.codes import as_number

Way = Callable[[str], float]
NONE = float("nan")
UNITS = 3  # kinds of words beside numbers
LOOKED_AT = 1000  # values by which a way is chosen
TIMES = {"": 1.0, "k": 1e3, "m": 1e6, "mio": 1e6, "mn": 1e6, "b": 1e9, "bn": 1e9}

_CURRENCY = (
    r"(?:[$€£¥₹₽₩]|[A-Z]{2}\$|(?:EUR|USD|GBP|CHF|JPY|INR|CAD|AUD|SEK|NOK|DKK|PLN|CZK|BRL|CNY)\b|kr\.?|zł)"
)
_AMOUNT = re.compile(
    rf"(?P<sign>[-+]?)\s*(?:{_CURRENCY}\s*)?(?P<inner>[-+]?)(?P<digits>\d[\d.,]*)\s*"
    rf"(?P<times>k|mio|mn|m|bn|b|)\.?\s*(?:%|{_CURRENCY})?",
    re.IGNORECASE,
)
_BETWEEN_DIGITS = re.compile(r"(?<=\d)[\s'’](?=\d{3}(?!\d))")
_ENGLISH = re.compile(r"(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d*)?")
_EUROPEAN = re.compile(r"(?:\d{1,3}(?:\.\d{3})+|\d+)(?:,\d*)?")
_IN_WORDS = re.compile(r"(\D{0,20}?)([-+]?\d(?:[\d.,]*\d)?)(\D{0,20})")
_BETWEEN = re.compile(r"(.*\d.*?)\s*(?:-|–|—|/|\.\.+|\bto\b|\bbis\b|\band\b|:)\s*(\D*\d.*)")
_DAY = re.compile(r"(\d{1,4})([-/.])(\d{1,2})\2(\d{1,4})(?:[ T]\d{1,2}:\d\d.*)?")


def read_alike(values: Sequence[object]) -> npt.NDArray[np.float64]:
    """All values as numbers, read in the one way that reads most of them; NaN for those it does not.

    >>> read_alike(["€ 50,012", "999", "none"]).tolist()
    [50012.0, 999.0, nan]
    """
    texts = [str(value).strip().replace("−", "-") for value in values]
    sample = texts[:: max(len(texts) // LOOKED_AT, 1)]
    way = max(WAYS, key=lambda one: sum(number == number for number in map(one, sample)))
    return np.asarray([way(text) for text in texts], np.float64)


def amount(text: str, decimal: str) -> float:
    """A number with separators, a currency, a percent sign or a K for thousand.

    >>> amount("1.234,5", ","), amount("1,234.5 EUR", "."), amount("-$12.5K", "."), amount("7 %", ".")
    (1234.5, 1234.5, -12500.0, 7.0)
    """
    plain = as_number(text)
    if plain == plain:
        return plain
    found = _AMOUNT.fullmatch(_BETWEEN_DIGITS.sub("", text))
    if found is None or (found["sign"] and found["inner"]):
        return NONE
    digits = found["digits"]
    if not (_ENGLISH if decimal == "." else _EUROPEAN).fullmatch(digits):
        return NONE
    thousands = "," if decimal == "." else "."
    number = float(digits.replace(thousands, "").replace(decimal, "."))
    return (-number if "-" in (found["sign"], found["inner"]) else number) * TIMES[found["times"].casefold()]


def day(text: str, order: str) -> float:
    """A day as a number; ``order`` says where day, month and year are.

    >>> day("31/12/2020", "dmy") == day("12/31/2020", "mdy") == day("2020.12.31 10:15", "ymd")
    True
    """
    found = _DAY.fullmatch(text)
    if found is None:
        return NONE
    parts: dict[str, Any] = dict(zip(order, found.group(1, 3, 4), strict=True))
    if len(parts["y"]) not in (2, 4):
        return NONE
    year = int(parts["y"])
    if len(parts["y"]) == 2:  # 00 to 49 are of this century, as far as an order can tell
        year += 2000 if year < 50 else 1900
    try:
        return float(date(year, int(parts["m"]), int(parts["d"])).toordinal())
    except ValueError:
        return NONE


def read_loosely(values: Sequence[object], *, units_only: bool = False) -> npt.NDArray[np.float64]:
    """The number in each text that has one, the middle of an interval, the first of two; otherwise NaN.

    Numbers stand with words of a few kinds, as units do: what stands with many is read as a code. A word
    before the number may make it a name, such as ``ward 3``; ``units_only`` reads no such text.

    >>> read_loosely(["[10, 20)", "500 p.a.", "500", "30-40", "< 5", "120/80", "unknown"]).round(6).tolist()
    [15.0, 500.0, 500.0, 35.0, 5.0, 120.0, nan]
    """
    read = [_in_text(str(value).strip().replace("−", "-")) for value in values]
    able = [words for words, _ in read if any(words) and not (units_only and any(map(str.isalpha, words[0])))]
    common = {words for words, _ in Counter(able).most_common(UNITS)}
    return np.asarray([number if not any(words) or words in common else NONE for words, number in read])


def _in_text(text: str) -> tuple[tuple[str, str], float]:
    """The words before and after a number, folded, and the number; NaN where there is not one."""
    text = _BETWEEN_DIGITS.sub("", text)
    if (ends := interval(text)) is not None:
        low, high = ends
        middle = (low + high) / 2
        return ("", ""), middle if math.isfinite(middle) else low if math.isfinite(low) else high
    for decimal in ".,":
        if (number := amount(text, decimal)) == number:
            return ("", ""), number
    if found := _IN_WORDS.fullmatch(text):
        before, digits, after = (one.strip().casefold() for one in found.groups())
        number = next((one for mark in ".," if (one := amount(digits, mark)) == one), NONE)
        if number != number and (plain := digits.replace(",", "")).replace(".", "", 1).lstrip("+-").isdigit():
            number = float(plain)
        return (before, after), number
    if found := _BETWEEN.fullmatch(text):
        (first, low), (second, high) = _in_text(found[1]), _in_text(found[2])
        if "/" in text or ":" in text or not low <= high:
            return first, low
        return (first[0], second[1]), (low + high) / 2
    return ("", ""), NONE


#: Of ways that read as many values, the first is taken.
WAYS: tuple[Way, ...] = (
    partial(amount, decimal="."),
    partial(amount, decimal=","),
    *(partial(day, order=order) for order in ("ymd", "dmy", "mdy")),
    day_in_words,
)
