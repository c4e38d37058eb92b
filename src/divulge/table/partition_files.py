"""Partitions as users write them: in a TOML file, or in a mapping of the same shape."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from divulge._support.toml_text import NotTOML, tables_of
from divulge.errors import PartitionError, suggestion
from divulge.table.hierarchy import Hierarchy, read_text
from divulge.table.partition import Partition

RESERVED = ("partition", "bins", "hierarchy", "level")
_TABLES = 'Write a table for each attribute, such as [disease], then domains: cancer = ["lung", "colon"].'


def as_partitions(
    spec: Mapping[str, object] | str | os.PathLike[str] | None,
) -> dict[str, Partition]:
    """The partition of each attribute: from a TOML file, or from a mapping of the same shape.

    In a mapping an attribute may also have a ``Partition`` or a pair of ``Hierarchy`` and level.
    """
    if spec is None:
        return {}
    if not isinstance(spec, Mapping):
        return read_partitions(spec)
    return {attribute: as_partition(given, attribute=attribute) for attribute, given in spec.items()}


def read_partitions(path: str | os.PathLike[str]) -> dict[str, Partition]:
    """The partitions in a TOML file, one table per attribute; paths in it start from its folder."""
    text = read_text(path, "the partitions")
    try:
        tables = tables_of(text)
    except NotTOML as error:
        raise PartitionError(f"The partitions in {path} are not TOML: {error}.", hint=_TABLES) from None
    if not tables:
        raise PartitionError(f"The partitions in {path} are empty.", hint=_TABLES)
    folder = Path(path).parent
    return {name: as_partition(table, attribute=name, folder=folder) for name, table in tables.items()}


def as_partition(given: object, *, attribute: str, folder: Path | None = None) -> Partition:
    """One attribute's partition: one already, hierarchy and level, or a table as in a TOML file."""
    if isinstance(given, Partition):
        return given
    match given:
        case (Hierarchy() as hierarchy, int() as level):
            return hierarchy.level(level)
        case {"bins": [*edges], **rest} if not rest:
            return Partition.bins(edges, attribute=attribute)
        case {"hierarchy": Hierarchy() as hierarchy, "level": level, **rest} if not rest:
            return hierarchy.level(level)
        case {"hierarchy": str() | Path() as path, "level": level, **rest} if not rest:
            return Hierarchy.read((folder or Path()) / path, attribute=attribute).level(level)
        case {"partition": Mapping() as domains, **rest} if not rest:
            return Partition.of(domains, attribute=attribute)
        case Mapping() if not any(word in given for word in RESERVED):
            _check_words(given, attribute)
            return Partition.of(given, attribute=attribute)
    raise PartitionError(
        f"What is given for '{attribute}' is not a partition.",
        hint="Give it domains, or bins (a list), or hierarchy (a file) with level (a number). "
        f"Domains that are called {' or '.join(RESERVED)} go in a table of their own, partition.",
    )


def _check_words(table: Mapping[str, object], attribute: str) -> None:
    """Refuse a reserved word with a slip in it, which would otherwise pass as the name of a domain."""
    for name, given in table.items():
        meant = suggestion(name, RESERVED)
        if isinstance(given, Mapping):
            quoted = f'If the attribute is called {attribute}.{name}, quote it: ["{attribute}.{name}"].'
            raise PartitionError(
                f"The domain '{name}' of '{attribute}' is a table, not a list of values.",
                hint=meant or quoted,
            )
        if meant and (len(table) == 1 or isinstance(given, str | int)):
            raise PartitionError(f"The table of '{attribute}' cannot be read as domains.", hint=meant)
