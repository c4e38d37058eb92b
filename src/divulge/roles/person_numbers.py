"""Numbers of people: which attribute of a register has them, and what assigned numbers look like."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

import numpy as np

from divulge.questions.data import Data
from divulge.roles.patterns import is_position, written_number, year
from divulge.roles.vocabulary import of_people

NEARLY_ALL = 0.95  # of the rows, that have a number which tells people apart, or of values of one form
DIGITS, SURELY = (
    6,
    9,
)  # of a number from which on it may be assigned, and from which on an amount hardly has them
COVERED = 0.6  # of all numbers with so many digits, that assigned ones lie between
EVEN = 1.63  # Kolmogorov and Smirnov: one sample in a hundred of even numbers is farther off
MOST_ENCODED = 0.8
LARGEST_PLACE, COUNTRY = 180, 30  # degrees on the globe, and across a country
_SEPARATED, _THOUSANDS = re.compile(r"[ ./-]"), re.compile(r"\d{1,3}(?:[., ']\d{3})+")
_CODE = re.compile(r"[\w-]{6,}", re.ASCII)
_BASE64 = re.compile(r"(?=.*[a-z])(?=.*[A-Z])(?=.*[\d=])[A-Za-z0-9+/_-]{7,}={0,2}")
_DEGREES = re.compile(r"-?[1-9]\d{0,2}\.\d{5,8}")


def numbering_people(data: Data, keys: Sequence[str]) -> tuple[str, ...]:
    """What is called the number of a person, and has values nearly everywhere of which some repeat.

    >>> from divulge.questions.data import read
    >>> years = {"person": ["P1", "P2", "P1", "P2"], "doctor": ["A", "A", "A", "B"], "zip": [1, 2, 1, 2]}
    >>> numbering_people(read(years), ["zip"]), numbering_people(read({"person": ["P1", "P2"]}), ["zip"])
    (('person',), ())
    """
    for name in data.schema.attributes:
        if name not in keys and of_people(name):
            found = data.summary(name)
            if found.present >= NEARLY_ALL * data.records and found.distinct < found.present:
                return (name,)
    return ()


def look_assigned(texts: Sequence[str]) -> bool:
    """Whether values that all differ have the form of numbers or codes of people, of digests or of places.

    Whole numbers of one length are amounts too, so those of six to eight digits count only if they are
    spread evenly over most of the numbers of that length, or begin with zeros; those of nine always.

    >>> look_assigned(["010280-1234", "311299-0042"]), look_assigned(["d41d8cd9", "8f00b204"])
    (True, True)
    >>> look_assigned(["104500", "98000", "121750"]), look_assigned(["12.5", "13.7"]), look_assigned([])
    (False, False, False)
    """
    some = [text.removesuffix(".0") for text in texts if year(text) is None]
    if not texts or len(some) < NEARLY_ALL * len(texts):
        return False
    whole = [text for text in some if text.isascii() and text.isdigit()]
    if len(whole) >= NEARLY_ALL * len(some):
        return _assigned(whole)
    kinds = (_separated(some), _of_one_length(some), _places(some))
    return any(kinds) or sum(map(bool, map(_BASE64.fullmatch, some))) >= MOST_ENCODED * len(some)


def _assigned(texts: Sequence[str]) -> bool:
    (length, often), *_ = Counter(map(len, texts)).most_common(1)
    if often >= NEARLY_ALL * len(texts):
        led = any(text.startswith("0") for text in texts)
        least = 10 ** (length - 1)
        return length >= DIGITS and (length >= SURELY or led or _even(texts, COVERED * 9 * least))
    longer = sum(len(text) >= SURELY - 1 for text in texts)  # addresses of networks as one number
    return longer >= NEARLY_ALL * len(texts) and _even(texts, 0)


def _even(texts: Sequence[str], least: float) -> bool:
    """Whether numbers are spread evenly over at least such a range, without the tails that amounts have."""
    numbers = np.sort(np.array([float(text) for text in texts]))
    span = float(numbers[-1] - numbers[0])
    if span <= least:
        return False
    off = np.abs((numbers - numbers[0]) / span - np.linspace(0, 1, len(numbers))).max()
    return bool(off <= EVEN / np.sqrt(len(numbers)))


def _separated(texts: Sequence[str]) -> bool:
    """Whether values are digits of one length with signs between them that no amount has: 010280-1234."""
    bare = [_SEPARATED.sub("", text) for text in texts]
    digits = [
        len(digits)
        for text, digits in zip(texts, bare, strict=True)
        if digits.isascii() and digits.isdigit() and not _THOUSANDS.fullmatch(text)
    ]
    plain = sum(written_number(text) == written_number(text) for text in texts)
    return plain < len(texts) / 2 and _one_length(digits, len(texts))


def _of_one_length(texts: Sequence[str]) -> bool:
    """Whether values are codes of one length, of which most have a digit and a letter."""
    codes = [text for text in texts if _CODE.fullmatch(text) and written_number(text) != written_number(text)]
    mixed = sum(any(map(str.isdigit, text)) for text in codes)
    return 2 * mixed > len(texts) and _one_length([*map(len, codes)], len(texts))


def _one_length(lengths: Sequence[int], of: int) -> bool:
    length, often = next(iter(Counter(lengths).most_common(1)), (0, 0))
    return length >= DIGITS and often >= NEARLY_ALL * of


def _places(texts: Sequence[str]) -> bool:
    """Whether values are places on the globe, or one of their two numbers within a country."""
    if sum(map(is_position, texts)) >= NEARLY_ALL * len(texts):
        return True
    degrees = [abs(float(text)) for text in texts if _DEGREES.fullmatch(text)]
    if len(degrees) < NEARLY_ALL * len(texts):
        return False
    low, high = min(degrees), max(degrees)
    return high <= LARGEST_PLACE and high - low <= min(COUNTRY, low)
