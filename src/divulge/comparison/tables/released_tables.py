"""The tables of a comparison as they were given: releases with or without names, read like the original."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from divulge.alignment.tables import counterparts
from divulge.engines.opening import is_table
from divulge.errors import ParameterError, SchemaError, counted
from divulge.questions.data import Data, read
from divulge.questions.keywords import ReadKeywords, opening
from divulge.recipes.recipe import Recipe
from divulge.recipes.transform import released_data


class GivenRelease(NamedTuple):
    """A released table, and what it is to be called; None: as its source is."""

    name: str | None
    table: object


def given_releases(released: Sequence[object]) -> list[GivenRelease]:
    """Releases one by one; a mapping of tables gives each of them a name, one of columns is a table.

    >>> [one.name for one in given_releases([{"age": [1, 2]}, {"k5": {"age": [1, 2]}, "noise": "n.csv"}])]
    [None, 'k5', 'noise']
    """
    found = list[GivenRelease]()
    for one in released:
        if isinstance(one, Mapping):
            _refuse_nothing(one)
        if isinstance(one, Mapping) and all(map(_is_release, one.values())):
            found += [GivenRelease(str(name), table) for name, table in one.items()]
        elif isinstance(one, Mapping) and any(map(_is_release, one.values())):
            raise ParameterError(
                "A dictionary of releases holds tables only, and a dictionary of columns none.",
                hint='Name releases as {"k5": k5, "noise": noise}.',
            )
        else:
            found.append(GivenRelease(Path(one.name).name if isinstance(one, Recipe) else None, one))
    return found


def _is_release(value: object) -> bool:
    return isinstance(value, Data | Recipe) or is_table(value)


def _refuse_nothing(given: Mapping[object, object]) -> None:
    """Refuses releases among which one is no table; a column of one value is said where it is read."""
    empty = [name for name, value in given.items() if _is_nothing(value)]
    if empty and all(_is_release(value) or _is_nothing(value) for value in given.values()):
        raise ParameterError(
            f"The release '{empty[0]}' is no table.",
            hint='Name releases as {"k5": k5, "noise": noise}, each a table.',
        )


def _is_nothing(value: object) -> bool:
    """Whether a value is neither a table nor a column."""
    return value is None or isinstance(value, int | float)


def with_recipe_hierarchies(original: Data, given: Sequence[object]) -> Data:
    """The original with the hierarchies that recipes name, so that what they make of values is understood."""
    named = {
        name: one
        for recipe in given
        if isinstance(recipe, Recipe)
        for name, one in recipe.hierarchies.items()
    }
    known = {name: one for name, one in named.items() if name in original.schema.attributes}
    return replace(original, hierarchies={**known, **original.hierarchies})


def like(original: Data, given: object, said: ReadKeywords, seed: int | None = None) -> Data:
    """A table, its odd values meaning what they mean in the original unless it was read already.

    A recipe is the table that it makes of the original, with the seed if it has none of its own.
    """
    if isinstance(given, Data):
        return given
    if isinstance(given, Recipe):
        return released_data(original, given, given.seed if given.seed is not None else seed)
    written = opening(said) if isinstance(given, str | os.PathLike) else ReadKeywords()
    written.pop("table", None)  # of the database that the original is in
    written.update(
        {
            "missing": original.missing,
            "missing_values": tuple(original.missing_values),
            "suppressed": original.suppressed,
        }
    )
    return read(given, **written)


def refuse_unrelated(original: Data, released: Data, named: Mapping[str, str], name: str | None) -> None:
    """Refuses a table most of whose attributes the original does not have, nor it those that have a role.

    A release may lack many attributes and have some of its own, but not both at once.
    """
    ours, theirs = original.schema, released.schema.attributes
    shared, _ = counterparts(ours.attributes, theirs, named)
    roles = (*ours.quasi_identifiers, *ours.sensitive)
    there = [one for one in roles if one in shared]
    if 2 * len(shared) >= len(theirs) or 2 * len(there) >= len(roles):
        return
    raise SchemaError(
        f"{name or released.source.name} does not look like a release of {original.source.name}: "
        f"{len(shared)} of its {counted(len(theirs), 'attribute')} are in the original, and it has "
        f"{len(there)} of the {counted(len(roles), 'attribute')} that have a role there.",
        hint="Name a table made of the original. If attributes have other names in it, give each with "
        "--column A=B.",
    )
