"""Places in a policy: they check what stands there, and name themselves in errors."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path as FilePath
from typing import Any

from divulge._support.toml_text import NotTOML, tables_of
from divulge._support.wording import enumerated
from divulge.errors import PolicyError, RecipeError, file_suggestion, not_among, suggestion
from divulge.limits.ordinary_files import refuse_unreadable_text
from divulge.policy.lines import Path, line_of, statements, written

FORMAT = 1  # of policies and recipes: it changes when a file would be read otherwise than before
_CAPITALS = ("A", "Most", "No", "The", "There", "Unknown", "What")  # capital only where a sentence begins
_COMMA = re.compile(r"=\s*([-+]?\d+),(\d+)\s*(?:[,}#]|$)")  # a number with a comma in it
_TOML = "Write texts in quotation marks, lists in [ ], tables in { } on one line."
_TWICE = "A key may occur once; put two thresholds for one measure in a list: itpr = [{ ... }, { ... }]."
_STEPS = "Begin each step with [[step]], in two pairs of brackets."


@dataclass(frozen=True)
class PolicyPlace:
    """A place in a policy or a recipe: its name, its text where it has one, and the keys that lead there."""

    name: str
    text: str = ""
    path: Path = ()
    refused: type[PolicyError] = PolicyError  # what is raised about it

    def __truediv__(self, part: str | int) -> PolicyPlace:
        return replace(self, path=(*self.path, part))

    @property
    def key(self) -> str | None:
        return written(self.path) or None

    def error(self, message: str, hint: str) -> PolicyError:
        """The error to raise about what stands here."""
        first = message.split(" ")[0]
        said = (first.lower() if first in _CAPITALS else first) + message.removeprefix(first)
        return self.refused(self.name, self.key, said, line=line_of(self.text, self.path), hint=hint)

    def table(self, given: object, hint: str) -> dict[str, Any]:
        """What is given, refused unless it is a table."""
        if not isinstance(given, Mapping):
            raise self.error(f"this must be a table, not {kind(given)}.", hint)
        return {str(name): value for name, value in given.items()}

    def tables(self, given: object, hint: str) -> list[tuple[dict[str, Any], PolicyPlace]]:
        """One table or a list of them, each with its place."""
        if not isinstance(given, list | tuple):
            return [(self.table(given, hint), self)]
        if not given:
            raise self.error("the list is empty.", hint)
        return [((self / entry).table(table, hint), self / entry) for entry, table in enumerate(given)]

    def check_keys(self, table: Mapping[str, Any], known: Sequence[str], hint: str | None = None) -> None:
        """Refuse keys that mean nothing here."""
        for name in table:
            if name not in known:
                said = suggestion(name, known) or hint or f"Possible keys: {enumerated(known, most=12)}."
                raise (self / name).error(f"there is no key '{name}' here.", said)

    def without_format(self, tables: dict[str, Any]) -> dict[str, Any]:
        """What a file says, without the version of its format; one that is not known is refused."""
        given = tables.get("format", FORMAT)
        if given != FORMAT or isinstance(given, bool):
            raise (self / "format").error(
                f"this divulge reads format {FORMAT}, and no other.",
                f"Use the version of divulge that wrote it, or write format = {FORMAT}.",
            )
        return {name: value for name, value in tables.items() if name != "format"}

    def string(self, given: object, hint: str) -> str:
        """What is given, refused unless it is a text that says something."""
        if not isinstance(given, str) or not given:
            raise self.error(f"this must be a text, not {kind(given)}.", hint)
        return given

    def strings(self, given: object, hint: str) -> tuple[str, ...]:
        """One text or a list of them, each once."""
        listed: list[Any] = list(given) if isinstance(given, list | tuple) else [given]
        if not listed:
            raise self.error("the list is empty.", hint)
        if not all(isinstance(text, str) for text in listed):
            raise self.error("this must be a text or a list of texts, in quotation marks.", hint)
        if len(set(listed)) < len(listed):
            raise self.error("the list has the same text twice.", "List each once.")
        return tuple(listed)

    def named(self, table: Mapping[str, Any], key: str, hint: str) -> tuple[str, ...] | None:
        """The texts that the table standing here has under a key; None where it is left out."""
        return (self / key).strings(table[key], hint) if key in table else None

    def number(self, given: Any, hint: str) -> int | float:
        """What is given, refused unless it is a number."""
        if isinstance(given, bool) or not isinstance(given, int | float):
            raise self.error(f"this must be a number, not {kind(given)}.", hint)
        return given

    def flag(self, table: Mapping[str, Any], key: str, default: bool) -> bool:
        """Whether something is so, by a key of the table that stands here."""
        given = table.get(key, default)
        if not isinstance(given, bool):
            hint = f"Write {key} = {str(not default).lower()}, or leave it out."
            raise (self / key).error(f"this must be true or false, not {kind(given)}.", hint)
        return given

    def severity(self, table: Mapping[str, Any]) -> Any:
        """What follows where the table that stands here is not kept to."""
        return (self / "severity").choice(table.get("severity", "fail"), ("fail", "warn"), "severity")

    def choice(self, given: object, known: Sequence[str], what: str) -> str:
        """One of a few words."""
        asked = self.string(given, f"Choose {', '.join(known[:-1])} or {known[-1]}.")
        if asked not in known:
            raise self.error(*not_among(asked, known, what))
        return asked


def file_place(
    path: str | os.PathLike[str], noun: str, shape: str, refused: type[PolicyError] = PolicyError
) -> tuple[PolicyPlace, bytes]:
    """A file as the place where its keys begin, and its bytes; ``noun`` is what it should be."""
    place = PolicyPlace(str(path), refused=refused)
    content = _content(FilePath(path), place, noun, shape)
    try:
        text = content.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise refused(
            place.name, None, "this is not UTF-8 text.", line=line, hint="Save it as UTF-8."
        ) from None
    return replace(place, text=text), content


def _content(path: FilePath, place: PolicyPlace, noun: str, shape: str) -> bytes:
    refuse_unreadable_text(path)
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        beside = os.listdir(path.parent) if path.parent.is_dir() else []
        near = file_suggestion(path.name, [name for name in beside if name.endswith(path.suffix)])
        raise place.error(f"the {noun} file does not exist.", near or "Check the path.") from None
    except OSError as error:
        reason = (error.strerror or type(error).__name__).lower()
        raise place.error(f"this cannot be read: {reason}.", "Name a TOML file.") from None
    if not content.strip():
        raise place.error(f"the {noun} is empty.", shape)
    return content


def parsed(place: PolicyPlace) -> dict[str, Any]:
    """The policy's text as tables."""
    try:
        return tables_of(place.text)
    except NotTOML as error:
        message, line = error.message, error.line
        path = next((path for number, path in statements(place.text) if number == line), ())
        twice = any(word in message for word in ("Cannot overwrite", "twice", "Duplicate"))
        raise place.refused(
            place.name,
            written(path) or None,
            f"this is not TOML: {message}.",
            line=line,
            hint=_twice(place, path) if twice else _decimal_point(place.text, line) or _TOML,
        ) from None


def _decimal_point(text: str, line: int | None) -> str | None:
    """What to write where a number has a comma for a point."""
    found = None if line is None else _COMMA.search(text.splitlines()[line - 1])
    return None if found is None else f"Write {found[1]}.{found[2]}, with a point."


def _twice(place: PolicyPlace, path: Path) -> str:
    """What to do where something is there twice."""
    if place.refused is not RecipeError:
        return _TWICE
    return _STEPS if path == ("step",) else "A key may occur once in a step."


def kind(given: object) -> str:
    """What a user would call something in a TOML file."""
    match given:
        case "":
            return "an empty text"
        case str():
            return "a text"
        case bool():
            return "true or false"
        case int() | float():
            return "a number"
        case list() | tuple():
            return "a list"
        case Mapping():
            return "a table"
    return "a date or a time" if hasattr(given, "isoformat") else "something else"
