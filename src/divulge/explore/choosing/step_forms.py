"""Further steps by a form: what may be said of each mechanism, and a step from what was said."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from divulge._support.toml_text import NotTOML, tables_of
from divulge.documents.making.exploration import FurtherStepEntry, MechanismEntry, MechanismParameterEntry
from divulge.errors import ParameterError
from divulge.mechanisms.mechanism import Mechanism
from divulge.mechanisms.parameters import Parameter
from divulge.mechanisms.registry import MECHANISMS, mechanism_named

Step = Mapping[str, Any]
_BETWEEN = re.compile(r"[,;\s]+")


def mechanism_entries() -> list[MechanismEntry]:
    """Every mechanism with what may be said of it, in the order of the registry."""
    return [
        MechanismEntry(
            name=one.name,
            title=one.title,
            summary=one.summary,
            takes=one.takes,
            drawn=one.drawn,
            promise=one.promise,
            names_attributes=one.names_attributes,
            parameters=[_parameter(parameter) for parameter in one.parameters],
        )
        for one in MECHANISMS.values()
    ]


def _parameter(one: Parameter) -> MechanismParameterEntry:
    return MechanismParameterEntry(
        name=one.name,
        kind=one.kind,
        help=one.help,
        required=one.required,
        default="" if one.required else as_text(one.default),
        bounds=one.bounds,
        choices=list(one.choices),
        example=_EXAMPLES.get(one.kind) or (one.example or "").strip('"'),
    )


def step_entries(steps: Sequence[Step]) -> list[FurtherStepEntry]:
    """The further steps, each with what its form would say."""
    return [
        FurtherStepEntry(
            mechanism=str(step["mechanism"]),
            title=MECHANISMS[step["mechanism"]].title if step["mechanism"] in MECHANISMS else "",
            attributes=list(step.get("attributes", [])),
            said={
                name: value if isinstance(value, bool | list) and _is_plain(value) else as_text(value)
                for name, value in step.items()
                if name not in ("mechanism", "attributes")
            },
        )
        for step in steps
    ]


def _is_plain(value: Any) -> bool:
    return isinstance(value, bool) or all(isinstance(one, str) for one in value)


def as_text(value: Any) -> str:
    """A value as a form shows it: lists with commas, tables and rows line by line."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Mapping):
        return "\n".join(f"{name}: {as_text(one)}" for name, one in value.items())
    if isinstance(value, list | tuple):
        between = "\n" if value and isinstance(value[0], list | tuple) else ", "
        return between.join(as_text(one) for one in value)
    return str(value)


def step_of(mechanism: object, attributes: object, said: object) -> dict[str, Any]:
    """A step as a recipe has it, from what a form says; what says nothing is left to its default."""
    found = mechanism_named(mechanism if isinstance(mechanism, str) else "")
    if not isinstance(said, Mapping):
        raise ParameterError("What is said of a step must be a mapping.")
    step: dict[str, Any] = {"mechanism": found.name}
    if found.names_attributes:
        if not isinstance(attributes, list) or not attributes:
            raise ParameterError(f"{found.title} needs an attribute.", hint="Tick one or more.")
        step["attributes"] = [str(name) for name in attributes]
    for parameter in found.parameters:
        value = _said(parameter, said.get(parameter.name))
        if value is not None and (parameter.required or value != _plain_default(parameter)):
            step[parameter.name] = value
    _refuse_lacking(found, step)
    return step


def _refuse_lacking(mechanism: Mechanism, step: Step) -> None:
    lacking = [one for one in mechanism.parameters if one.required and one.name not in step]
    if lacking:
        raise ParameterError(f"{mechanism.title} needs '{lacking[0].name}'.", hint=lacking[0].help)


def _plain_default(parameter: Parameter) -> Any:
    default = parameter.default
    return list(default) if isinstance(default, tuple) else default


def _said(parameter: Parameter, given: Any) -> Any:
    """What a form says of a parameter; None where it says nothing."""
    if given is None or isinstance(given, bool):
        return given
    if isinstance(given, list):
        return [str(one) for one in given] or None
    text = str(given)
    if parameter.kind == "text":
        return text if text or isinstance(parameter.default, str) else None
    if not text.strip():
        return None
    return _READ.get(parameter.kind, str.strip)(text)


def _number(text: str) -> Any:
    """A number; text that is none is left for the recipe to refuse."""
    for kind in (int, float):
        try:
            return kind(text.strip())
        except ValueError:
            continue
    return text.strip()


def _numbers(text: str) -> list[Any]:
    return [_number(one) for one in _BETWEEN.split(text.strip()) if one]


def _texts(text: str) -> list[str]:
    parts = text.splitlines() if "\n" in text.strip() else text.split(",")
    return [one.strip() for one in parts if one.strip()]


def _table(text: str) -> Any:
    """A table from lines of a name, a colon and values, or as TOML writes it."""
    if text.strip().startswith("{"):
        try:
            return tables_of(f"said = {text.strip()}")["said"]
        except NotTOML as error:
            raise ParameterError(f"This is no table in TOML: {error}.") from None
    found: dict[str, Any] = {}
    for line in filter(str.strip, text.splitlines()):
        name, colon, values = line.partition(":")
        if not colon:
            raise ParameterError("A line of the table has no colon.", hint=f"Write {_EXAMPLES['table']}.")
        found[name.strip()] = [one.strip() for one in values.split(",") if one.strip()]
    return found


def _files(text: str) -> Any:
    """One file, or files by attribute."""
    table = _table(text) if ":" in text else {}
    return {name: ", ".join(files) for name, files in table.items()} or text.strip()


_READ: Mapping[str, Callable[[str], Any]] = {
    "whole number": _number,
    "number": _number,
    "flag": lambda text: text.strip() == "true",
    "numbers": _numbers,
    "texts": _texts,
    "attributes": _texts,
    "table": _table,
    "matrix": lambda text: [_numbers(line) for line in text.splitlines() if line.strip()],
    "hierarchy": _files,
}
_EXAMPLES = {
    "numbers": "18, 30, 65",
    "texts": "a, b",
    "table": "a group: a value, another value",
    "matrix": "0.9 0.1\n0.1 0.9",
}


def rearranged(steps: Sequence[Step], action: object, place: object, step: Step | None) -> list[Step]:
    """The steps after one was added, set, removed or moved; places count from 0.

    >>> [one["base"] for one in rearranged([{"base": 1}, {"base": 2}], "up", 1, None)]
    [2, 1]
    """
    found = list(steps)
    if action == "add" and step is not None:
        return [*found, step]
    if isinstance(place, bool) or not isinstance(place, int) or not 0 <= place < len(found):
        raise ParameterError("There is no such step.", hint=f"There are {len(found)}.")
    if action == "set" and step is not None:
        found[place] = step
    elif action == "remove":
        del found[place]
    elif action in ("up", "down"):
        other = place + (-1 if action == "up" else 1)
        if not 0 <= other < len(found):
            raise ParameterError("The step is at the end already.")
        found[place], found[other] = found[other], found[place]
    else:
        raise ParameterError(f"{json.dumps(action)} cannot be done to a step.")
    return found
