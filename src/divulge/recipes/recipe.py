"""A recipe: steps in order, each a mechanism with attributes and parameters, and perhaps a seed."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from divulge._support.notebook import table_view
from divulge.errors import RecipeError, attribute_suggestion, suggestion
from divulge.mechanisms.mechanism import Mechanism, Step
from divulge.mechanisms.registry import MECHANISMS
from divulge.policy import Policy
from divulge.policy.place import PolicyPlace, file_place, parsed
from divulge.table.hierarchy import Hierarchy

SHAPE = 'A recipe has [[step]] tables, each with mechanism = "..." and what the mechanism needs.'
_OWN = ("mechanism", "attributes")
_MISSING = 'Write texts that mean missing: missing_values = ["NA", "unknown"].'
_SEED = "Write a whole number from 0 on, or leave it out: then one is drawn that nobody can guess."


@dataclass(frozen=True, eq=False)
class Recipe:
    """What is done to a table, in order.

    >>> recipe = Recipe.of({"step": [{"mechanism": "rounding", "attributes": ["age"], "base": 10}]})
    >>> [step.mechanism.name for step in recipe.steps]
    ['rounding']
    """

    name: str
    digest: str
    steps: tuple[Step, ...]
    seed: int | None
    row_key: str | None
    place: PolicyPlace = field(repr=False)
    given: Mapping[str, Any] = field(repr=False)
    missing_values: frozenset[str] = frozenset()  # texts that mean missing, besides those that are declared

    def _repr_html_(self) -> str:
        rows = [[str(one.number), one.mechanism.title, ", ".join(one.attributes)] for one in self.steps]
        return table_view(f"Recipe {self.name}", ["step", "mechanism", "attributes"], rows)

    @property
    def random(self) -> bool:
        """Whether anything is drawn."""
        return any(step.mechanism.random for step in self.steps)

    @property
    def rows_purpose(self) -> str:
        """What the order of released rows is drawn for: two recipes with one seed have two orders."""
        told = [
            (step.mechanism.name, step.attributes, sorted(map(_told, step.parameters.items())))
            for step in self.steps
        ]
        return f"rows\x1f{hashlib.sha256(repr(told).encode('utf-8', 'surrogatepass')).hexdigest()}"

    @property
    def hierarchies(self) -> dict[str, Hierarchy]:
        """The hierarchies that its steps name, by attribute."""
        named = [value for step in self.steps for value in step.parameters.values()]
        return {
            name: one
            for value in named
            if isinstance(value, Mapping)
            for name, one in value.items()
            if isinstance(one, Hierarchy)
        }

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Recipe:
        """The recipe in a TOML file; paths in it start from its folder."""
        place, content = file_place(path, "recipe", SHAPE, RecipeError)
        return cls._of(parsed(place), place, Path(path).parent, content)

    @classmethod
    def of(
        cls,
        given: Mapping[str, Any] | Sequence[Mapping[str, Any]],
        *,
        name: str = "the recipe",
        folder: str | os.PathLike[str] | None = None,
    ) -> Recipe:
        """A recipe from a mapping of the same shape, or from a list of its steps."""
        tables = given if isinstance(given, Mapping) else {"step": list(given)}
        content = json.dumps(tables, default=str).encode()
        return cls._of(tables, PolicyPlace(name, refused=RecipeError), Path(folder or ""), content)

    @classmethod
    def _of(cls, given: Mapping[str, Any], root: PolicyPlace, folder: Path, content: bytes) -> Recipe:
        tables = root.without_format(root.table(given, SHAPE))
        root.check_keys(tables, ("seed", "row_key", "missing_values", "step"), SHAPE)
        if "step" not in tables:
            raise root.error("there are no steps.", SHAPE)
        steps = tuple(
            _step(table, place, folder, number)
            for number, (table, place) in enumerate((root / "step").tables(tables["step"], SHAPE), 1)
        )
        seed = tables.get("seed")
        if seed is not None and (isinstance(seed, bool) or not isinstance(seed, int) or seed < 0):
            raise (root / "seed").error("this is no seed.", _SEED)
        key = tables.get("row_key")
        if key is not None:
            key = (root / "row_key").string(key, 'Name the attribute that numbers records: row_key = "id".')
        texts: tuple[str, ...] = ()
        if "missing_values" in tables:
            texts = (root / "missing_values").strings(tables["missing_values"], _MISSING)
        digest = f"sha256:{hashlib.sha256(content).hexdigest()}"
        return cls(root.name, digest, steps, seed, key, root, tables, frozenset(texts))

    def check(self, attributes: Sequence[str]) -> None:
        """Refuse attributes that the table does not have, or no longer has at a step."""
        left = list(attributes)
        for step in self.steps:
            for name in step.attributes:
                if name in left:
                    continue
                if name in attributes:
                    raise step.error(
                        "attributes",
                        f"a former step removed '{name}'.",
                        "Leave it out here, or move the step.",
                    )
                raise step.error(
                    "attributes",
                    f"the table has no attribute '{name}'.",
                    attribute_suggestion(name, left) or "Write it as in the table.",
                )
            if step.mechanism.name == "remove":
                left = [name for name in left if name not in step.attributes]


def as_recipe(
    given: Recipe | str | os.PathLike[str] | Mapping[str, Any] | Sequence[Mapping[str, Any]],
) -> Recipe:
    """A recipe from itself, the path of its file, a mapping, or a list of steps."""
    if isinstance(given, Recipe):
        return given
    return Recipe.read(given) if isinstance(given, str | os.PathLike) else Recipe.of(given)


def _step(table: Mapping[str, Any], place: PolicyPlace, folder: Path, number: int) -> Step:
    if "mechanism" not in table:
        raise place.error("it names no mechanism.", SHAPE)
    here = place / "mechanism"
    name = here.string(table["mechanism"], "List them with: divulge guide mechanisms")
    if name not in MECHANISMS:
        hint = suggestion(name, MECHANISMS) or "List them with: divulge guide mechanisms"
        raise here.error(f"there is no mechanism '{name}'.", hint)
    mechanism = MECHANISMS[name]
    place.check_keys(table, (*_OWN, *(one.name for one in mechanism.parameters)))
    attributes = _attributes(table, place, mechanism)
    return Step(mechanism, attributes, mechanism.read(table, place, folder, attributes), place, number)


def _attributes(table: Mapping[str, Any], place: PolicyPlace, mechanism: Mechanism) -> tuple[str, ...]:
    hint = 'Write attributes = ["age", "zip"].'
    if "attributes" in table:
        return (place / "attributes").strings(table["attributes"], hint)
    if mechanism.names_attributes:
        raise place.error(f"{mechanism.name} needs to know which attributes.", hint)
    return ()


def _told(item: tuple[str, Any]) -> tuple[str, str]:
    """A parameter in words that do not depend on the folder that files are in."""
    name, value = item
    held = value.items() if isinstance(value, Mapping) else ()
    if any(isinstance(one, Hierarchy) for _, one in held):
        return name, repr([(of, one.values, one.groups) for of, one in held])
    if isinstance(value, Policy):
        bounds = [
            (one.measure.name, sorted(one.parameters.items()), one.keys, one.min, one.max)
            for one in value.thresholds
        ]
        return name, repr(bounds)
    return name, repr(value.name if isinstance(value, Path) else value)
