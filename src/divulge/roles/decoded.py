"""Values as somebody reads them: without what is invisible, and out of the codes of programs."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterator
from typing import Any
from urllib.parse import unquote

_ENCODED = re.compile(r"%[0-9A-Fa-f]{2}")
_AT, _DOT = (re.compile(rf"\s*[(\[{{]\s*{word}\s*[)\]}}]\s*", re.IGNORECASE) for word in ("at", "dot"))


def decoded(value: object) -> str:
    r"""A value as text: no invisible signs, percent-encoding and JSON undone, an address with its @.

    >>> decoded("A\u200bnna%20Weber"), decoded('{"n": "Anna Weber", "age": 34}'), decoded("a.b (at) c.org")
    ('Anna Weber', 'Anna Weber 34', 'a.b@c.org')
    >>> decoded(" 50 % "), decoded("[1, 2)")
    ('50 %', '[1, 2)')
    """
    text = str(value).strip()
    if not text.isascii():
        seen = (sign for sign in text if unicodedata.category(sign) != "Cf")
        text = unicodedata.normalize("NFKC", "".join(seen))
    if "%" in text and _ENCODED.search(text):
        text = unquote(text)
    if text[:1] in ("{", "[", '"'):
        text = _out_of_json(text)
    if _AT.search(text):
        text = _DOT.sub(".", _AT.sub("@", text))
    return text.strip()


def _out_of_json(text: str) -> str:
    try:
        return " ".join(_parts(json.loads(text))) or text
    except (ValueError, RecursionError):
        return text


def _parts(found: Any) -> Iterator[str]:
    """The texts and numbers of what JSON holds, whatever they are called."""
    if isinstance(found, dict | list):
        for one in found.values() if isinstance(found, dict) else found:
            yield from _parts(one)
    elif found is not None and not isinstance(found, bool):
        yield str(found)
