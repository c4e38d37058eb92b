"""Codes such as postcodes, of which the first characters say something coarser."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from divulge.roles.vocabulary import meanings
from divulge.table.codes import as_number

MOST = 0.95  # share of the values that have to look like codes
_CODE = re.compile(r"[A-Z0-9][A-Z0-9 ./-]{2,9}", re.ASCII | re.IGNORECASE)


def code_length(attribute: str, values: Sequence[object]) -> int | None:
    """How long the codes of an attribute usually are; None where its values are none.

    Numbers are codes only where the name of the attribute says that they are postcodes.

    >>> code_length("icd", ["C34.1", "I21.0"]), code_length("zip", [10115]), code_length("age", [101])
    (5, 5, None)
    """
    texts = [str(value) for value in values]
    codes = sum(_CODE.fullmatch(text) is not None and any(map(str.isdigit, text)) for text in texts)
    numbers = all(as_number(value) == as_number(value) for value in values)
    postcode = any(meaning.says == "a postcode" for meaning in meanings(attribute))
    if not texts or codes < MOST * len(texts) or (numbers and not postcode):
        return None
    return Counter(map(len, texts)).most_common(1)[0][0]
