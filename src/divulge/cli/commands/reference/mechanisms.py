"""What the guide says of mechanisms: the catalogue, and one explained."""

from __future__ import annotations

import json
import sys
import textwrap
from typing import Any

from divulge._support.references import REFERENCES
from divulge._support.wording import WIDTH
from divulge.mechanisms import MECHANISMS
from divulge.mechanisms.mechanism import Mechanism
from divulge.mechanisms.parameters import Parameter


def say_mechanisms(name: str | None, *, as_json: bool) -> None:
    """Print the facts of one mechanism, or of all."""
    chosen = None if name is None else MECHANISMS[name]
    if as_json:
        facts = [_facts(one) for one in MECHANISMS.values()] if chosen is None else _facts(chosen)
        sys.stdout.write(json.dumps(facts, indent=2, ensure_ascii=False, allow_nan=False) + "\n")
    elif chosen is None:
        _list_all()
    else:
        _explain(chosen)


def _list_all() -> None:
    for one in MECHANISMS.values():
        print(f"{one.name}  ({'random' if one.random else 'deterministic'}; {one.takes})")
        print(textwrap.fill(one.summary, WIDTH, initial_indent="  ", subsequent_indent="  "))
    print("\nExplain one with: divulge guide NAME")


def _explain(one: Mechanism) -> None:
    print(f"{one.title} ({one.name})\n")
    print(textwrap.fill(one.summary, WIDTH))
    for paragraph in filter(None, one.explanation.split("\n\n")):
        print("\n" + textwrap.fill(" ".join(paragraph.split()), WIDTH))
    said = {
        "Takes": one.takes,
        "Random": one.drawn,
        "Records": "can be aligned with the original"
        if one.keeps_rows
        else "cannot be aligned with the original",
        "Promises": one.promise,
        "Laws": "; ".join(sorted(law.value for law in one.laws)) or "none",
        "Example": one.example,
        "Reference": REFERENCES[one.reference],
    }
    print()
    for name, text in said.items():
        print(textwrap.fill(f"{name + ':':<12}{text}", WIDTH, subsequent_indent=" " * 12))
    print("\nIn a recipe:\n")
    print(textwrap.indent(_recipe(one), "    "))
    for parameter in one.parameters:
        print("\n" + textwrap.fill(_described(parameter), WIDTH, subsequent_indent="    "))


def _recipe(one: Mechanism) -> str:
    lines = ["[[step]]", f'mechanism = "{one.name}"']
    if one.names_attributes:
        lines.append('attributes = ["..."]')
    for parameter in one.parameters:
        default = parameter.example if parameter.required else _toml(parameter.default)
        lines.append(f"{'' if parameter.required else '# '}{parameter.name} = {default or '...'}")
    return "\n".join(lines)


def _toml(value: Any) -> str:
    return "" if value is None else json.dumps(value, ensure_ascii=False)


def _described(one: Parameter) -> str:
    kind = " or ".join(one.choices) if one.choices else one.kind
    usual = "required" if one.required else f"default {_toml(one.default) or 'none'}"
    return f"{one.name} ({', '.join(filter(None, [kind, one.bounds, usual]))}): {one.help}"


def _facts(one: Mechanism) -> dict[str, Any]:
    return {
        "name": one.name,
        "title": one.title,
        "summary": one.summary,
        "random": one.random,
        "takes": one.takes,
        "alignable": one.keeps_rows,
        "channel": one.transition is not None,
        "promise": one.promise,
        "laws": sorted(law.name.lower() for law in one.laws),
        "reference": REFERENCES[one.reference],
        "example": one.example,
        "parameters": [
            {
                "name": parameter.name,
                "kind": parameter.kind,
                "required": parameter.required,
                "default": None if parameter.required else parameter.default,
                "choices": list(parameter.choices),
                "bounds": parameter.bounds,
                "secret": parameter.secret,
                "help": parameter.help,
            }
            for parameter in one.parameters
        ],
    }
