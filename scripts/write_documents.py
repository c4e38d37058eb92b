"""Write the JSON Schemas of the documents and docs/document.md, from the typed definitions."""

from __future__ import annotations

import json
import types
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import (
    Annotated,
    Any,
    Literal,
    NotRequired,
    TypeVar,
    Union,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

from divulge.documents import DOCUMENTS, file_name
from divulge.documents.fields import TextForm

ROOT = Path(__file__).parents[1]
SCHEMAS = ROOT / "src" / "divulge" / "documents" / "schemas"
PAGE = ROOT / "docs" / "document.md"
PLAIN = {str: "string", bool: "boolean", int: "integer", float: "number", type(None): "null"}
HEAD = """# The documents

Every command prints a JSON document with `--json`, and reports are made from it: `divulge report FILE.json`
draws an audit, a comparison, a search for the least loss, an attacker's account or a release simulation as
its page. The same data, policy and seed give the same bytes, `provenance` apart. A number that is undefined
or infinite is `null`, with the reason beside it. A *count* is a number of records or people. Below five it
is `"<5"`; where others would reveal it, it is a bound such as `">245"` or a rounded `"~320"`. A *share* is
one of people, and a bound such as `"<0.02"` or `">0.98"` where it would reveal a small count. With
`--exact-counts` both are always numbers. `version` changes when a name or a meaning does.

The tables below are written from the definitions in `divulge.documents`. The same definitions as JSON Schema
are in the package: `divulge.documents.schema("audit")`.
"""


def definition(kind: str) -> type:
    """The typed definition of a kind of document."""
    module, name = DOCUMENTS[kind]
    found: type = getattr(import_module(f"divulge.documents.{module}"), name)
    return found


def fields(entry: type) -> Iterator[tuple[str, Any, str, bool]]:
    """The fields of a definition: name, type, description, and whether it is always there."""
    total = getattr(entry, "__total__", True)
    for name, hint in get_type_hints(entry, include_extras=True).items():
        optional = get_origin(hint) is NotRequired
        hint = get_args(hint)[0] if optional else hint
        if isinstance(hint, TypeVar):  # the title of a document, which its definition gives to its head
            hint = get_args(entry.__orig_bases__[0])[0]  # type: ignore[attr-defined]
        words = ""
        if get_origin(hint) is Annotated and isinstance(hint.__metadata__[0], str):
            words, hint = hint.__metadata__[0], hint.__origin__
        yield name, hint, words, total and not optional


# -- JSON Schema ------------------------------------------------------------------------------------


def schema(kind: str) -> dict[str, Any]:
    """The JSON Schema of a kind of document."""
    found: dict[str, Any] = {}
    top = definition(kind)
    _define(top, found)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"divulge {kind}",
        "$ref": f"#/$defs/{top.__name__}",
        "$defs": found,
    }


def _define(entry: type, found: dict[str, Any]) -> None:
    found[entry.__name__] = {}  # a definition may hold itself
    properties = {
        name: _shape(hint, found) | ({"description": words} if words else {})
        for name, hint, words, _ in fields(entry)
    }
    found[entry.__name__] = {
        "type": "object",
        "description": _first_line(entry),
        "properties": properties,
        "required": [name for name, _, _, always in fields(entry) if always],
        "additionalProperties": False,
    }


def _shape(hint: Any, found: dict[str, Any]) -> dict[str, Any]:
    if is_typeddict(hint):
        if hint.__name__ not in found:
            _define(hint, found)
        return {"$ref": f"#/$defs/{hint.__name__}"}
    origin, inside = get_origin(hint), get_args(hint)
    if origin is Annotated:
        pattern = next((one.expression for one in inside[1:] if isinstance(one, TextForm)), None)
        return _shape(inside[0], found) | ({} if pattern is None else {"pattern": pattern})
    if origin is Literal:
        return {"const": inside[0]} if len(inside) == 1 else {"enum": list(inside)}
    if origin in (Union, types.UnionType):
        return {"anyOf": [_shape(one, found) for one in inside]}
    if origin is list:
        return {"type": "array", "items": _shape(inside[0], found)}
    if origin is dict:
        return {"type": "object", "additionalProperties": _shape(inside[1], found)}
    return {"type": PLAIN[hint]}


# -- the page ---------------------------------------------------------------------------------------


def page() -> str:
    """The page of documents, each entry where it is first used."""
    shown: set[str] = set()
    parts = [HEAD]
    for kind in DOCUMENTS:
        parts.append(f"\n## divulge {kind}\n\n{_first_line(definition(kind))}\n")
        parts += _tables(definition(kind), shown, top=True)
    return "".join(parts)


def _tables(entry: type, shown: set[str], *, top: bool = False) -> Iterator[str]:
    shown.add(entry.__name__)
    if not top:
        yield f"\n### {entry.__name__}\n\n{_first_line(entry)}\n"
    yield "\n| key | type | what it holds |\n|---|---|---|\n"
    inside = []
    for name, hint, words, always in fields(entry):
        yield f"| `{name}` | {_words(hint)}{'' if always else ', not always there'} | {words} |\n"
        inside += _entries(hint)
    for one in inside:
        if one.__name__ not in shown:
            yield from _tables(one, shown)


def _entries(hint: Any) -> list[type]:
    """The definitions that a type holds."""
    if is_typeddict(hint):
        return [hint]
    return [found for one in get_args(hint) for found in _entries(one)]


def _words(hint: Any) -> str:
    """A type in words."""
    if is_typeddict(hint):
        whole = [f"divulge-{kind.replace(' ', '-')}" for kind in DOCUMENTS if definition(kind) is hint]
        return f"[{hint.__name__}](#{whole[0] if whole else hint.__name__.lower()})"
    origin, inside = get_origin(hint), get_args(hint)
    if origin is Annotated:
        hidden = next((one.number for one in inside[1:] if isinstance(one, TextForm)), None)
        return hidden or _words(inside[0])
    if origin is Literal:
        return " or ".join(f"`{json.dumps(one)}`" for one in inside)
    if origin in (Union, types.UnionType):
        words = list(dict.fromkeys(_words(one) for one in inside))
        people = [one for one in words if one in ("count", "share")]
        others = [one for one in words if one not in ("count", "share")]
        plain = ("whole number", "number") if people else ()
        return " or ".join([*people, *(one for one in others if one not in plain)])
    if origin is list:
        return f"list of {_words(inside[0])}"
    if origin is dict:
        return f"object of {_words(inside[1])} by name"
    return {str: "text", bool: "true or false", int: "whole number", float: "number", type(None): "null"}[
        hint
    ]


def _first_line(entry: type) -> str:
    return (entry.__doc__ or "").partition("\n")[0]


def texts() -> dict[Path, str]:
    """Every file that is written, with its text."""
    schemas = {SCHEMAS / file_name(kind): _printed(schema(kind)) for kind in DOCUMENTS}
    return {**schemas, PAGE: page()}


def _printed(found: dict[str, Any]) -> str:
    """A schema with a line for each definition."""
    lines = [f"{json.dumps(name)}: {json.dumps(one)}" for name, one in found["$defs"].items()]
    return json.dumps({**found, "$defs": None})[:-5] + "{\n" + ",\n".join(lines) + "\n}}\n"


if __name__ == "__main__":
    SCHEMAS.mkdir(exist_ok=True)
    for path, text in texts().items():
        path.write_text(text, "utf-8")
