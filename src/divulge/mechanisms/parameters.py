"""What a step of a recipe may say: each parameter with its kind, its bounds, and how it is read."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from divulge._support.wording import number as spelled
from divulge.errors import PartitionError
from divulge.mechanisms.value_mapping import CombinationMapping
from divulge.policy import Policy
from divulge.policy.place import PolicyPlace, kind
from divulge.table.hierarchy import Hierarchy

REQUIRED = object()  # the default of what must be said
Kind = Literal[
    "whole number",
    "number",
    "text",
    "choice",
    "flag",
    "numbers",
    "texts",
    "attribute",
    "attributes",
    "table",
    "matrix",
    "hierarchy",
    "policy",
    "mapping",
    "file",
]


@dataclass(frozen=True)
class Parameter:
    """A parameter of a mechanism as users meet it.

    Bounds hold for numbers and for each of a list of numbers; ``open`` ones may not be reached themselves.
    What is ``secret`` stays out of a manifest that travels with the data.
    """

    name: str
    kind: Kind
    help: str
    default: Any = REQUIRED
    least: float = -math.inf
    most: float = math.inf
    open: bool = False
    choices: tuple[str, ...] = ()
    example: str = ""
    secret: bool = False

    @property
    def required(self) -> bool:
        """Whether it has to be said."""
        return self.default is REQUIRED

    @property
    def bounds(self) -> str:
        """The numbers it may be, in words; empty where any will do."""
        low, high = (None if math.isinf(one) else spelled(one) for one in (self.least, self.most))
        above, below = ("more than", "less than") if self.open else ("at least", "at most")
        words = [f"{above} {low}" if low else "", f"{below} {high}" if high else ""]
        return " and ".join(filter(None, words))

    @property
    def hint(self) -> str:
        """How to write it."""
        return f"Write {self.name} = {self.example or _EXAMPLES.get(self.kind, '...')}. {self.help}"

    def read(self, given: object, place: PolicyPlace, folder: Path, attributes: Sequence[str]) -> Any:
        """What is given, checked; a path starts from the folder."""
        match self.kind:
            case "whole number" | "number":
                return self._number(given, place)
            case "numbers":
                if given in ([], ()):
                    raise place.error("the list is empty.", self.hint)
                if not isinstance(given, list | tuple):
                    raise place.error(f"this must be a list of numbers, not {kind(given)}.", self.hint)
                return tuple(self._number(one, place) for one in given)
            case "flag":
                if not isinstance(given, bool):
                    raise place.error(f"this must be true or false, not {kind(given)}.", self.hint)
                return given
            case "choice":
                return place.choice(given, self.choices, self.name)
            case "texts" | "attributes":
                return place.strings(given, self.hint)
            case "table":
                return place.table(given, self.hint)
            case "matrix":
                return _matrix(given, place, self.hint)
            case "file":
                return folder / Path(place.string(given, self.hint)).expanduser()
            case "hierarchy":
                return _hierarchies(given, place, folder, attributes, self.hint)
            case "mapping":
                if isinstance(given, CombinationMapping):
                    return given
                return CombinationMapping.read(
                    folder / Path(place.string(given, self.hint)).expanduser(), place
                )
            case "policy":
                if isinstance(given, Policy):
                    return given
                return Policy.read(folder / Path(place.string(given, self.hint)).expanduser())
        if given == "" and isinstance(self.default, str):
            return ""  # which is not the default: nothing is to be written
        return place.string(given, self.hint)

    def _number(self, given: object, place: PolicyPlace) -> int | float:
        found = place.number(given, self.hint)
        if self.kind == "whole number" and not isinstance(found, int):
            raise place.error(f"this must be a whole number, not {spelled(found)}.", self.hint)
        inside = self.least < found < self.most if self.open else self.least <= found <= self.most
        if not (inside and math.isfinite(found)):
            raise place.error(f"this must be {self.bounds or 'finite'}, not {spelled(found)}.", self.hint)
        return found


_EXAMPLES = {
    "whole number": "3",
    "number": "0.5",
    "flag": "true",
    "numbers": "[18, 65]",
    "texts": '["a", "b"]',
    "attributes": '["age", "zip"]',
    "attribute": '"age"',
    "hierarchy": '"zip.csv"',
    "matrix": "[[0.9, 0.1], [0.1, 0.9]]",
}


def _matrix(given: object, place: PolicyPlace, hint: str) -> tuple[tuple[float, ...], ...]:
    if not isinstance(given, list | tuple) or not given:
        raise place.error(f"this must be a list of rows, not {kind(given)}.", hint)
    rows = []
    for row in given:
        if not isinstance(row, list | tuple) or len(row) != len(given):
            raise place.error(f"this must have {len(given)} rows of {len(given)} numbers.", hint)
        rows.append(tuple(float(place.number(one, hint)) for one in row))
    for line, row in enumerate(rows, 1):
        if min(row) < 0 or abs(sum(row) - 1) > 1e-9:
            raise place.error(
                f"row {line} is no distribution: its numbers add up to {spelled(sum(row))}"
                f"{' and one is below 0' if min(row) < 0 else ''}.",
                "Every row holds shares that add up to 1.",
            )
    return tuple(rows)


def _hierarchies(
    given: object, place: PolicyPlace, folder: Path, attributes: Sequence[str], hint: str
) -> Mapping[str, Hierarchy]:
    """A hierarchy for each attribute: one file for a single attribute, or a table of files by attribute."""
    if isinstance(given, Mapping):
        place.check_keys(given, attributes)
        files = {name: (place / name, file) for name, file in given.items()}
    else:
        if len(attributes) != 1:
            raise place.error(
                f"one file was given for {len(attributes)} attributes.",
                'Write a table: hierarchy = { age = "age.csv", zip = "zip.csv" }.',
            )
        files = {attributes[0]: (place, given)}
    found = {}
    for name, (here, file) in files.items():
        if isinstance(file, Hierarchy):
            found[name] = file
            continue
        path = file if isinstance(file, os.PathLike) else here.string(file, hint)
        try:
            found[name] = Hierarchy.read(folder / Path(path).expanduser(), attribute=name)
        except PartitionError as error:
            raise here.error(error.message, error.hint or hint) from None
    return found
