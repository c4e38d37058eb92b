"""TOML as users write it, read without ever failing in other words than ours, and written for them."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping
from typing import Any

from divulge._support.wording import one_line

MOST_PARTS = 100  # of a key with dots; the parser takes memory with the square of their number
_PART = re.compile(r""""(?:[^"\\\n]|\\.)*"?|'[^'\n]*'?|[\w-]+""")
_DOTTED = re.compile(rf"(?:{_PART.pattern})(?:[ \t]*\.[ \t]*(?:{_PART.pattern}))*")


class NotTOML(ValueError):
    """A text is not TOML: why, and in which line where that is known."""

    def __init__(self, message: str, line: int | None) -> None:
        super().__init__(message if line is None else f"{message} (line {line})")
        self.message = message
        self.line = line


def tables_of(text: str) -> dict[str, Any]:
    """The tables of a TOML text; numbers of thousands of digits and endless brackets are refused, too.

    >>> tables_of("a = 1")
    {'a': 1}
    """
    for key in _DOTTED.finditer(text):
        if key[0].count(".") >= MOST_PARTS and len(_PART.findall(key[0])) > MOST_PARTS:
            before = text.count("\n", 0, key.start())
            raise NotTOML(f"a key in line {before + 1} has more than {MOST_PARTS} parts", None)
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        found = re.fullmatch(r"(.*?) \(at line (\d+), column \d+\)", str(error))
        message, line = (found[1], int(found[2])) if found else (str(error), None)
        raise NotTOML(message, line) from None
    except RecursionError:
        raise NotTOML("lists or tables are nested too deeply", None) from None
    except (ValueError, OverflowError):  # Python reads integers of some thousand digits at most
        raise NotTOML("a number has too many digits, or a date does not exist", None) from None


def toml_key(name: str) -> str:
    """A key as TOML writes it.

    >>> toml_key("age"), toml_key("zip code")
    ('age', '"zip code"')
    """
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else toml_value(name)


def toml_value(value: Any) -> str:
    """A value in one line, as TOML writes it.

    >>> toml_value({"role": "other", "bins": [1, 2.5]}), toml_value(True)
    ('{ role = "other", bins = [1, 2.5] }', 'true')
    """
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):  # JSON escapes what TOML wants escaped, but for the delete character
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, Mapping):
        return f"{{ {', '.join(f'{toml_key(key)} = {toml_value(one)}' for key, one in value.items())} }}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(toml_value, value))}]"
    return value.isoformat() if hasattr(value, "isoformat") else str(value)


def in_comment(text: str) -> str:
    r"""A text as it may stand in a comment of a file: on its line, with what steers or ends one shown.

    >>> in_comment("a\n#\x1b.csv")
    'a\\n#\\u001b.csv'
    """
    return one_line(text)
