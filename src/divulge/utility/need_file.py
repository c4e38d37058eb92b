"""Needs as users write them: in a TOML file, or in a mapping of the same shape."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from divulge.counting.counts import RECORD
from divulge.errors import PartitionError, listing
from divulge.policy.place import PolicyPlace, kind, parsed
from divulge.table.hierarchy import read_text
from divulge.table.partition import Partition
from divulge.table.partition_files import as_partition
from divulge.utility.need import Need

_KEYS = ("target", "keys", "partitions", "at_least")
_SHAPE = 'Write a table for each need, such as [treatment], and below it target = "disease", keys = ["age"].'
_NAMES = 'Write names of attributes, such as "age" or ["age", "sex"].'
_GROUPS = 'Write partitions = { age = { bins = [35] }, disease = { cancer = ["lung"], other = ["flu"] } }.'


def as_needs(given: Mapping[str, Any] | str | os.PathLike[str] | Sequence[Need] | None) -> list[Need]:
    """Needs from a TOML file, from a mapping of the same shape, or as they are."""
    if given is None:
        return []
    if isinstance(given, Mapping):
        return needs_of(given)
    return read_needs(given) if isinstance(given, str | os.PathLike) else list(given)


def read_needs(path: str | os.PathLike[str]) -> list[Need]:
    """The needs in a TOML file, one table for each; paths in it start from its folder."""
    try:
        text = read_text(path, "the needs")
    except PartitionError as error:
        raise PolicyPlace(str(path)).error(error.message, error.hint or _SHAPE) from None
    place = PolicyPlace(str(path), text)
    return _needs(parsed(place), place, Path(path).parent)


def needs_of(
    given: Mapping[str, Any], *, name: str = "the needs", folder: str | os.PathLike[str] | None = None
) -> list[Need]:
    """Needs from a mapping of the same shape.

    >>> [need.keys for need in needs_of({"treatment": {"target": "disease", "keys": ["age"]}})]
    [('age',)]
    """
    return _needs(given, PolicyPlace(name), Path(folder or ""))


def _needs(given: object, root: PolicyPlace, folder: Path) -> list[Need]:
    tables = root.table(given, _SHAPE)
    if not isinstance(tables.get("format"), Mapping):  # a need may be called so
        tables = root.without_format(tables)
    if not tables:
        raise root.error("the file has no need.", _SHAPE)
    return [_need(name, table, root / name, folder) for name, table in tables.items()]


def _need(name: str, given: object, place: PolicyPlace, folder: Path) -> Need:
    table = place.table(given, _SHAPE)
    place.check_keys(table, _KEYS)
    for key in ("target", "keys"):
        if key not in table:
            raise place.error(f"this need has no {key}.", _SHAPE)
    target = (place / "target").string(table["target"], 'Write one attribute: target = "disease".')
    keys = (place / "keys").strings(table["keys"], _NAMES)
    if target == RECORD:
        raise (place / "target").error(
            "a need is about an attribute, not about re-identification.", "Name an attribute."
        )
    if target in keys:
        raise (place / "keys").error(
            f"'{target}' is both a key and the target.",
            "Leave it out of one of them.",
        )
    partitions = _partitions(table.get("partitions", {}), place / "partitions", (*keys, target), folder)
    return Need(name, keys, target, partitions, _at_least(table, place), place)


def _partitions(
    given: object, place: PolicyPlace, attributes: tuple[str, ...], folder: Path
) -> dict[str, Partition]:
    table = place.table(given, _GROUPS)
    place.check_keys(table, attributes, f"The need is about {listing(attributes)}.")
    found = {}
    for name, groups in table.items():
        try:
            found[name] = as_partition(groups, attribute=name, folder=folder)
        except PartitionError as error:
            raise (place / name).error(error.message, error.hint or _GROUPS) from None
    return found


def _at_least(table: Mapping[str, Any], place: PolicyPlace) -> float | None:
    if "at_least" not in table:
        return None
    least, here = table["at_least"], place / "at_least"
    if isinstance(least, bool) or not isinstance(least, int | float):
        raise here.error(f"this must be a number, not {kind(least)}.", "Write at_least = 0.5.")
    if not 0 < least <= 1:
        raise here.error(
            "utility runs from 0 to 1, so this would always pass or always fail.",
            "Choose a number above 0 and up to 1.",
        )
    return float(least)
