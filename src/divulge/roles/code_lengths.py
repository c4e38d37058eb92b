"""Codes such as postcodes, of which the first characters say something coarser."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from divulge.roles.vocabulary import meanings
from divulge.table.codes import as_number

MOST = 0.95  # share of the values that have to look like codes
LEAST_DIGITS = 4  # of a number that is written with leading zeros, from which on it is a code
_CODE = re.compile(r"[A-Z0-9][A-Z0-9 ./-]{2,9}", re.ASCII | re.IGNORECASE)


def code_length(attribute: str, values: Sequence[object]) -> int | None:
    """How long the codes of an attribute usually are; None where its values are none.

    Numbers are codes only where the name of the attribute says that they are postcodes, or where they are
    digits of one length that begin with zeros.

    >>> code_length("icd", ["C34.1", "I21.0"]), code_length("zip", [10115]), code_length("age", [101])
    (5, 5, None)
    >>> code_length("x", ["04109", "80331"])
    5
    """
    texts = [str(value) for value in values]
    codes = sum(_CODE.fullmatch(text) is not None and any(map(str.isdigit, text)) for text in texts)
    numbers = all(as_number(value) == as_number(value) for value in values)
    if not texts or codes < MOST * len(texts) or (numbers and not postcodes(attribute, values)):
        return None
    return Counter(map(len, texts)).most_common(1)[0][0]


def postcodes(attribute: str, values: Sequence[object]) -> bool:
    """Whether an attribute has postcodes by its name, or digits of one length that begin with zeros.

    >>> postcodes("plz", [80331]), postcodes("x", ["04109", "80331"]), postcodes("x", ["0", "1"])
    (True, True, False)
    """
    if any(meaning.says == "a postcode" for meaning in meanings(attribute)):
        return True
    texts = [value for value in values if isinstance(value, str) and value.isascii() and value.isdigit()]
    led, lengths = any(text.startswith("0") for text in texts), {*map(len, texts)}
    return len(texts) == len(values) and len(lengths) == 1 and min(lengths) >= LEAST_DIGITS and led
