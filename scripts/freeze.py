"""Write down every public name, so that a test sees when one goes: python scripts/freeze.py.

What is frozen is added to and never taken from within one major version; see docs/stability.md.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

import typer

import divulge
from divulge import documents
from divulge._support.threads import cached_property
from divulge.cli.app import app
from divulge.measures import MEASURES
from divulge.measures.linkage_figures import LINKAGE_FIGURES
from divulge.measures.population_figures import FIGURES
from divulge.mechanisms import MECHANISMS
from divulge.policy.place import FORMAT
from divulge.policy.policy import _TABLES
from divulge.source.options import OPTIONS

FOLDER = Path(__file__).parents[1] / "tests" / "stability" / "frozen"


def names() -> Iterator[str]:
    """Python: every public name, parameters of functions, and the methods and properties of classes."""
    for name in divulge.__all__:
        value = getattr(divulge, name)
        yield from _named(name, value)
        if isinstance(value, ModuleType):
            for inside in value.__all__:
                yield from _named(f"{name}.{inside}", getattr(value, inside))


def _named(name: str, value: Any) -> Iterator[str]:
    yield name
    if isinstance(value, FunctionType):
        yield from (f"{name}({one})" for one in inspect.signature(value).parameters)
    elif isinstance(value, type):
        for word, one in vars(value).items():
            function = one.__func__ if isinstance(one, classmethod | staticmethod) else one
            if not word.startswith("_") and isinstance(function, FunctionType | property | cached_property):
                yield f"{name}.{word}"
                if isinstance(function, FunctionType):
                    given = [*inspect.signature(function).parameters][not isinstance(one, staticmethod) :]
                    yield from (f"{name}.{word}({parameter})" for parameter in given)


def commands() -> Iterator[str]:
    """The command line: commands, their arguments and options."""
    yield from _commands(typer.main.get_command(app), "divulge")


def _commands(one: Any, path: str) -> Iterator[str]:
    for name, command in (getattr(one, "commands", None) or {}).items():
        yield f"{path} {name}"
        yield from _commands(command, f"{path} {name}")
    if not hasattr(one, "commands"):
        for given in one.params:
            words = given.opts if given.param_type_name == "option" else [given.metavar]
            yield from (f"{path} {word}" for word in (*words, *given.secondary_opts))


def keys() -> Iterator[str]:
    """Documents: every key of every definition, with the form of its value."""
    for kind in documents.DOCUMENTS:
        yield f"divulge {kind} version {documents.VERSION}"
        for name, defined in documents.schema(kind)["$defs"].items():
            for key, shape in defined.get("properties", {}).items():
                always = "" if key in defined["required"] else " (not always)"
                yield f"{name}.{key}{always} {_form(shape)}"


def _form(shape: dict[str, Any]) -> str:
    """The form of a value in short, such as number | null or [CheckEntry]."""
    if "anyOf" in shape:
        return " | ".join(map(_form, shape["anyOf"]))
    if "enum" in shape:
        return " | ".join(map(repr, shape["enum"]))
    if "const" in shape:
        return repr(shape["const"])
    if "$ref" in shape:
        return str(shape["$ref"]).removeprefix("#/$defs/")
    if shape["type"] == "array":
        return f"[{_form(shape['items'])}]"
    if shape["type"] == "object":
        return f"{{{_form(shape['additionalProperties'])}}}" if shape.get("additionalProperties") else "{}"
    return "hidden count" if "pattern" in shape else str(shape["type"])


def files() -> Iterator[str]:
    """Files that people write: tables and keys of policies, mechanisms of recipes, measures."""
    yield f"format = {FORMAT}"
    yield from (f"policy [{one}]" for one in _TABLES)
    yield from (f"policy data.{one}" for one in OPTIONS)
    for mechanism in MECHANISMS.values():
        yield f"recipe {mechanism.name}"
        yield from (f"recipe {mechanism.name}.{one.name}" for one in mechanism.parameters)
    yield from (f"measure {one}" for one in (*MEASURES, *FIGURES, *LINKAGE_FIGURES))


def texts() -> dict[Path, str]:
    """What is public now, as the files that freeze it."""
    found = {"names": names(), "commands": commands(), "keys": keys(), "files": files()}
    return {FOLDER / f"{name}.txt": "\n".join(sorted({*lines})) + "\n" for name, lines in found.items()}


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for path, text in texts().items():
        path.write_text(text, "utf-8")
