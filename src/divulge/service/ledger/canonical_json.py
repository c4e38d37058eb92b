"""JSON in the one spelling of RFC 8785, which any language can make again from the values."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable
from functools import lru_cache
from json.encoder import encode_basestring as _text
from typing import Any

LARGEST = 2**53 - 1  # beyond it, not every whole number is a number of JSON


def canonical(value: Any) -> str:
    """The one spelling of a JSON value, so that equal values have equal hashes.

    >>> print(canonical({"b": [1.0, 1e-7, 1e20], "a": "é"}))
    {"a":"é","b":[1,1e-7,100000000000000000000]}
    """
    found = _spelled(value)
    if not found.isascii():
        found.encode()  # refuses half a character
    return found


def _spelled(value: Any) -> str:
    plain = _PLAIN.get(type(value))
    if plain is not None:
        return plain(value)
    for kind, spelled in _PLAIN.items():  # a kind of text, a number of NumPy
        if isinstance(value, kind):
            return spelled(value)
    raise TypeError(f"{type(value).__name__} is not JSON compliant")


def _object(value: dict[str, Any]) -> str:
    told = [
        name + (_text(one) if type(one := value[key]) is str else _spelled(one))
        for key, name in _ordered(tuple(value))
    ]
    return "{" + ",".join(told) + "}"


def _array(value: Iterable[Any]) -> str:
    return "[" + ",".join([_text(one) if type(one) is str else _spelled(one) for one in value]) + "]"


def _whole(value: int) -> str:
    if abs(value) > LARGEST:
        raise ValueError("a whole number of more than 53 bits is not JSON compliant")
    return int.__repr__(value)


@lru_cache(256)  # entries of a log have few sets of names
def _ordered(names: tuple[Any, ...]) -> list[tuple[str, str]]:
    """Names in the order of their UTF-16 units, which is another than that of characters beyond ASCII.

    Each with its spelling.
    """
    if not all(isinstance(name, str) for name in names):
        raise TypeError("a name that is no text is not JSON compliant")
    found = sorted(names, key=lambda name: name.encode("utf-16-be", "surrogatepass"))
    return [(name, f"{_text(name)}:") for name in found]


def _number(value: float) -> str:
    """A number as ECMAScript writes it: the same shortest digits as Python's, with exponents elsewhere."""
    if not math.isfinite(value):
        raise ValueError("a number that is not finite is not JSON compliant")
    text = float.__repr__(value) if value else "0"
    if "e" not in text:
        return text.removesuffix(".0")
    written, _, exponent = text.partition("e")
    power = int(exponent)
    sign, digits = "-" * (value < 0), written.lstrip("-").replace(".", "")
    if 0 < power < 21:  # Python writes exponents from 16 on, and has at most 17 digits
        return sign + digits.ljust(power + 1, "0")
    if -7 < power < 0:
        return f"{sign}0.{'0' * (-power - 1)}{digits}"
    return f"{written}e{power:+d}"


_PLAIN: dict[type, Callable[[Any], str]] = {
    str: _text,
    float: _number,
    bool: lambda value: "true" if value else "false",
    int: _whole,
    type(None): lambda value: "null",
    dict: _object,
    list: _array,
    tuple: _array,
}


def with_single_names(text: str) -> Any:
    """The value of a JSON text; a ValueError where readers differ: a name is repeated, or a number is none.

    >>> with_single_names('{"decision": "waiting"}')
    {'decision': 'waiting'}
    """
    return json.loads(text, object_pairs_hook=_named_once, parse_constant=_no_number)


def _no_number(text: str) -> None:
    raise ValueError(f"{text} is not JSON")


def _named_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a name occurs twice in an object")
    return found
