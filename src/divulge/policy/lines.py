"""In which line of a TOML text a key stands, for errors that lead there."""

from __future__ import annotations

import re
from collections.abc import Iterator

from divulge._support.toml_text import NotTOML, tables_of

Path = tuple[str | int, ...]  # the keys that lead to a place; a number is an entry of a list, from 0 on

_KEY = r"""(?:[A-Za-z0-9_-]+|"[^"\n]*"|'[^'\n]*')"""
_KEYS = rf"{_KEY}(?:[ \t]*\.[ \t]*{_KEY})*"
_HEADER = re.compile(rf"[ \t]*(\[\[?)[ \t]*({_KEYS})[ \t]*\]\]?[ \t\r]*(?:#.*)?$")
_STATEMENT = re.compile(rf"[ \t]*({_KEYS})[ \t]*=")


def line_of(text: str, path: Path) -> int | None:
    """The line that gives the last of the keys, or else the one before it; None where neither is found.

    >>> text = "[thresholds]\\nitpr = [\\n  { max = 0.5 },\\n  { max = 2 }\\n]"
    >>> line_of(text, ("thresholds", "itpr", 1, "max"))
    4
    """
    lines, places = text.split("\n"), list(statements(text))
    for length in range(len(path), 0, -1):
        found = next((i for i, (_, keys) in enumerate(places) if keys == path[:length]), None)
        if found is not None:
            start = places[found][0]
            end = places[found + 1][0] - 1 if found + 1 < len(places) else len(lines)
            # A line inside a longer value may look like a statement; what stands before it is no TOML then.
            if not _is_toml("\n".join(lines[: start - 1])):
                return None
            return start + _lines_down("\n".join(lines[start - 1 : end]), path[length:])
    return None


def statements(text: str) -> Iterator[tuple[int, Path]]:
    """The lines that begin a table or give a key, each with the keys that lead there."""
    table: Path = ()
    entries: dict[Path, int] = {}
    for number, line in enumerate(text.split("\n"), 1):
        if header := _HEADER.match(line):
            table = _parts(header[2])
            if header[1] == "[[":
                entries[table] = entries.get(table, -1) + 1
                table = (*table, entries[table])
            yield number, table
        elif statement := _STATEMENT.match(line):
            yield number, (*table, *_parts(statement[1]))


def written(path: Path) -> str:
    """The keys in one word, as in TOML; entries of a list are counted from 1.

    >>> written(("thresholds", "itpr", 1, "max")), written(("attributes", "zip code"))
    ('thresholds.itpr #2.max', 'attributes."zip code"')
    """
    parts = (f" #{part + 1}" if isinstance(part, int) else f".{_quoted(part)}" for part in path)
    return "".join(parts).removeprefix(".")


def _lines_down(statement: str, path: Path) -> int:
    """How many lines below its beginning a statement has the keys, as far as they are found."""
    at = 0
    for part in path:
        wanted = r"\{" if isinstance(part, int) else rf"(?<![\w-])[\"']?{re.escape(part)}[\"']?\s*="
        found = [match.end() for match in re.finditer(wanted, statement[at:])]
        nth = part if isinstance(part, int) else 0
        if len(found) <= nth:
            break
        at += found[nth]
    return statement.count("\n", 0, at)


def _is_toml(text: str) -> bool:
    try:
        tables_of(text)
    except NotTOML:
        return False
    return True


def _parts(keys: str) -> Path:
    return tuple(key[1:-1] if key[0] in "\"'" else key for key in re.findall(_KEY, keys))


def _quoted(part: str) -> str:
    return part if re.fullmatch(r"[A-Za-z0-9_-]+", part) else f'"{part}"'
