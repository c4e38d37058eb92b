"""What a policy says of the data and of their attributes."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from divulge._support.wording import enumerated
from divulge.errors import PartitionError, suggestion
from divulge.policy.place import PolicyPlace, kind
from divulge.source.files import STANDARD_INPUT, names_table
from divulge.source.formats.recognition import fitting_options
from divulge.source.options import DEFAULTS, OPTIONS, SourceOptions
from divulge.table.hierarchy import Hierarchy
from divulge.table.partition import Partition
from divulge.table.partition_files import as_partition
from divulge.table.schema import Role

ROLES = tuple(role.value for role in Role)
_OTHER = {"no_header": "true", "skip": "1"}
_GROUPED = ("bins", "partition", "hierarchy")
_ROLE = (
    'Write a role, such as "quasi-identifier", or a table: { role = "quasi-identifier", bins = [18, 65] }.'
)
_TREE = "Each row of the file is a value, then its group at level 1, 2 and so on, with semicolons between."


@dataclass(frozen=True, kw_only=True)
class DataRule(SourceOptions):
    """Where the data are, and what is said about them."""

    source: str | None = None

    def fitting(self, source: object) -> SourceOptions:
        """What is said of how data are read, as far as it can be true of another source.

        A table that the source names itself goes before the one that is said here.
        """
        if not isinstance(source, str | os.PathLike):
            return SourceOptions()
        place = os.fspath(source)
        if "://" not in place:
            return fitting_options(self.only("file", "engine"), place, self.source)
        said = self.only("database", "engine")
        return replace(said, table=None) if place.partition("#")[2] else said


@dataclass(frozen=True)
class AttributeRule:
    """The role of an attribute, how its values lie to each other, and the groups they are counted in."""

    role: Role
    hierarchy: Hierarchy | None = None
    partition: Partition | None = None
    order: Sequence[object] | None = None
    released: tuple[str, ...] = ()  # what it may be called in releases


def data_rule(given: object, place: PolicyPlace, folder: Path) -> DataRule:
    """The table [data]; a path starts from the folder."""
    table = place.table(given, 'Write [data], and below it source = "patients.csv".')
    place.check_keys(table, ("source", *OPTIONS))
    found: dict[str, Any] = {}
    for name, value in table.items():
        here, option = place / name, OPTIONS.get(name)
        if option is not None and option.choices:
            found[name] = here.choice(value, option.choices, option.noun)
        elif name == "missing_values":
            found[name] = here.strings(value, 'Write the texts that mean missing: ["NA", "99"].')
        elif name == "names":
            found[name] = here.strings(value, 'Write the names of the columns: ["age", "sex"].')
        elif isinstance(usual := DEFAULTS.get(name), int):  # a number, or true or false
            if type(value) is not type(usual):
                raise here.error(
                    f"this must be {kind(usual)}, not {kind(value)}.", f"Write {name} = {_OTHER[name]}."
                )
            found[name] = value
        elif name in ("suppressed", "quote") and value == "":
            found[name] = ""
        else:
            text = os.fspath(value) if isinstance(value, os.PathLike) else value
            found[name] = here.string(text, f'Write {name} = "...".')
    for name in ("layout", "anatomy"):
        if name in found:
            found[name] = str(_file(found[name], folder))
    if "source" in found and "://" not in found["source"] and found["source"] != STANDARD_INPUT:
        path = _file(found["source"], folder)
        if found.get("engine") != "spark" or path.exists() or not names_table(found["source"]):
            found["source"] = str(path)
    return DataRule(**found)


def attribute_rule(given: object, place: PolicyPlace, attribute: str, folder: Path) -> AttributeRule:
    """What stands for one attribute: a role, or a table with a role."""
    if isinstance(given, str):
        return AttributeRule(Role(place.choice(given, ROLES, "role")))
    table = place.table(given, _ROLE)
    _check_attribute(table, place, attribute)
    role = Role((place / "role").choice(table["role"], ROLES, "role"))
    if role is Role.IDENTIFIER and len(table.keys() - {"role", "released"}) > 0:
        raise place.error(
            "the values of an identifier are not grouped.",
            "Keep only the role and its name in releases.",
        )
    hierarchy = _hierarchy(table["hierarchy"], place, attribute, folder) if "hierarchy" in table else None
    order = _order(table["order"], place / "order") if "order" in table else None
    partition = _partition(table, hierarchy, place, attribute)
    names = 'Write what it is called in releases, such as "Age*" or ["Age*", "Age**"].'
    return AttributeRule(role, hierarchy, partition, order, place.named(table, "released", names) or ())


def _check_attribute(table: Mapping[str, Any], place: PolicyPlace, attribute: str) -> None:
    [first, *rest] = table or [""]
    if not rest and table.get(first) in ROLES and not suggestion(first, ["role"]):
        raise (place / first).error(
            f"an attribute has no '{first}'.", f'If it is called "{attribute}.{first}", quote the whole name.'
        )
    place.check_keys(table, ("role", *_GROUPED, "level", "order", "released"))
    if "role" not in table:
        raise place.error("it has no role.", f"Add one of the roles {enumerated(ROLES)}.")
    ways = [name for name in _GROUPED if name in table]
    if len(ways) > 1:
        raise place.error(
            f"it has {' and '.join(ways)}, but values can be grouped in one way only.", ("Keep one.")
        )
    if "level" in table and "hierarchy" not in table:
        raise (place / "level").error("a level needs a hierarchy.", 'Add hierarchy = "file.csv".')
    if "order" in table and ({"bins", "partition", "level"} & table.keys()):
        raise (place / "order").error(
            "an order applies to single values, and here they are counted in groups.",
            "Leave order out; bins have one already.",
        )
    for name, kinds, example in (("bins", list | tuple, "[18, 65]"), ("partition", Mapping, '{ a = ["x"] }')):
        if name in table and not isinstance(table[name], kinds):
            raise (place / name).error(f"this cannot be {kind(table[name])}.", f"Write {name} = {example}.")


def _hierarchy(given: object, place: PolicyPlace, attribute: str, folder: Path) -> Hierarchy:
    if isinstance(given, Hierarchy):
        return given
    here = place / "hierarchy"
    file = given if isinstance(given, os.PathLike) else here.string(given, 'Name a file, such as "zip.csv".')
    try:
        return Hierarchy.read(_file(file, folder), attribute=attribute)
    except PartitionError as error:
        raise here.error(error.message, error.hint or _TREE) from None


def _partition(
    table: Mapping[str, Any], hierarchy: Hierarchy | None, place: PolicyPlace, attribute: str
) -> Partition | None:
    way = next((way for way in ("bins", "partition", "level") if way in table), None)
    if way is None:
        return None
    try:
        if hierarchy is not None:
            return hierarchy.level(table[way])
        return as_partition({way: table[way]}, attribute=attribute)
    except PartitionError as error:
        raise (place / way).error(error.message, error.hint or "") from None


def _file(path: str | os.PathLike[str], folder: Path) -> Path:
    return folder / Path(path).expanduser()


def _order(given: object, place: PolicyPlace) -> tuple[object, ...]:
    hint = 'List every value once, from the lowest to the highest: ["low", "high"].'
    if not isinstance(given, list | tuple) or not given:
        raise place.error("an order is a list of values.", hint)
    if any(isinstance(value, list | tuple | Mapping) for value in given):
        raise place.error("an order cannot contain lists or tables.", hint)
    if len({str(value) for value in given}) < len(given):
        raise place.error("the order has the same value twice.", hint)
    return tuple(given)
