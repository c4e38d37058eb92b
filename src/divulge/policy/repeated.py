"""A policy as a document may repeat it: what it asks for, not what it says of people and places."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from divulge._support.addresses import ADDRESS, is_address
from divulge._support.toml_text import toml_key, toml_value
from divulge._support.wording import quantity

_FILES = ("source", "layout", "anatomy", "hierarchy")
_OF_RECORDS = ("missing_values", "suppressed", "order", "partition", "bins")


def repeated_lines(tables: Mapping[str, Any], *, show_values: bool = False) -> list[str]:
    """The lines of a policy, written anew: without comments, folders, addresses and values of records.

    >>> stage = {"role": "sensitive", "order": ["low", "high"]}
    >>> repeated_lines({"data": {"source": "/home/ann/a.csv"}, "attributes": {"stage": stage}})
    ['[data]', 'source = "a.csv"', '', '[attributes]', 'stage = { role = "sensitive", order = "2 values" }']
    """
    lines: list[str] = []
    for name, table in tables.items():
        if not isinstance(table, Mapping):  # the version of the format
            lines += ["", f"{toml_key(name)} = {toml_value(table)}"]
            continue
        if name == "attributes":
            table = {key: _rule(one, show_values) for key, one in table.items()}
        written = _rule(table, show_values) if name in ("data", "population") else _without_addresses(table)
        lines += ["", f"[{toml_key(name)}]"]
        lines += [f"{toml_key(key)} = {toml_value(one)}" for key, one in written.items()]
    return lines[1:]


def _rule(given: Any, show_values: bool) -> Any:
    """What is said of the data or of an attribute, as far as it may be repeated."""
    if not isinstance(given, Mapping):
        return given
    found = dict(_without_addresses(given))
    for key, one in found.items():
        if key in _FILES and isinstance(one, str):
            found[key] = Path(one).name or one
        elif key in _OF_RECORDS and not show_values and not _is_numbers(one):
            found[key] = _how_many(one)
    return found


def _without_addresses(given: Any) -> Any:
    if isinstance(given, Mapping):
        return {name: _without_addresses(one) for name, one in given.items()}
    if isinstance(given, list):
        return [_without_addresses(one) for one in given]
    return ADDRESS if isinstance(given, str) and is_address(given) else given


def _is_numbers(given: Any) -> bool:
    """Whether these are edges of bins, which say nothing of single records."""
    return isinstance(given, list) and all(isinstance(one, int | float) for one in given)


def _how_many(given: Mapping[str, Any] | Sequence[Any] | str) -> str:
    if isinstance(given, str):
        return "..."
    if not isinstance(given, Mapping):
        return quantity(len(given), "values")
    values = sum(len(one) if isinstance(one, list) else 1 for one in given.values())
    return f"{quantity(values, 'values')} in {quantity(len(given), 'groups')}"
