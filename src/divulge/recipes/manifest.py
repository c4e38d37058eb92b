"""The manifest: what was done to a table, from which file, into which, and what is promised of it."""

from __future__ import annotations

import platform
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from divulge import documents
from divulge._support.notebook import table_view
from divulge._support.small_counts import SMALL, hidden, hidden_among, hidden_part, to_tens
from divulge.mechanisms.mechanism import Promise, Step
from divulge.mechanisms.value_mapping import CombinationMapping
from divulge.policy import Policy
from divulge.recipes.changes import StepChange
from divulge.recipes.recipe import Recipe
from divulge.table.hierarchy import Hierarchy


@dataclass(frozen=True, eq=False)
class Manifest:
    """What was done: recipe, seed, changes step by step, promises, and digests of the files.

    ``to_dict(share=True)`` is the copy that may travel with the data: without the seed, secret parameters and
    counts of records, any of which could help to undo what was done.
    """

    recipe: Recipe
    seed: int | None
    records_in: int
    records_out: int
    changes: tuple[StepChange, ...]
    shuffled: bool
    notes: tuple[str, ...] = ()
    cautions: tuple[str, ...] = ()  # which the copy that travels with the data does not repeat
    promises: tuple[Promise, ...] = ()
    unchanged: tuple[str, ...] = ()  # attributes that no step changed
    input_digest: str | None = None
    output_digest: str | None = None
    engine: str = "memory"

    def __repr__(self) -> str:
        return f"Manifest({self.recipe.name}: {len(self.recipe.steps)} steps)"

    def _repr_html_(self) -> str:
        rows = [
            [str(step.number), step.mechanism.title, ", ".join(step.attributes)] for step in self.recipe.steps
        ]
        return table_view("What was done", ["step", "mechanism", "attributes"], rows)

    def to_dict(self, *, share: bool = False) -> dict[str, Any]:
        """The manifest as a JSON document, whole or as it may travel with the data.

        Counts of people below five are hidden, unless within ``exact_counts``.
        """
        body: dict[str, Any] = {
            "shared": share,
            "recipe": {
                "name": Path(self.recipe.name).name,
                "digest": None if share else self.recipe.digest,
            },
            "seed": None if share else self.seed,
            "row_key": self.recipe.row_key,
            "engine": self.engine,
            "versions": {"python": platform.python_version(), "numpy": np.__version__},
            "input": None if share else {"digest": self.input_digest, "records": self.records_in},
            "output": {
                "digest": self.output_digest,
                "records": self.records_out if share else hidden(self.records_out, self.records_in),
            },
            "rows": "shuffled" if self.shuffled else "in the order of the original",
            "steps": [
                _step(step, change, left_out, share, whole)
                for step, change, left_out, whole in zip(
                    self.recipe.steps, self.changes, self.left_out, self.wholes, strict=True
                )
            ],
            "unchanged": None if share else list(self.unchanged),
            "promises": [promise._asdict() for promise in self.promises],
            "notes": list(self.notes if share else (*self.notes, *self.cautions)),
        }
        found: dict[str, Any] = documents.headed("manifest", body)
        return found

    @property
    def left_out(self) -> list[int | str]:
        """How many records each step left out, so that a hidden number is not what the others leave."""
        counts = [max(0, one.records_before - one.records_after) for one in self.changes]
        return hidden_among(counts, self.records_in - self.records_out)

    @property
    def wholes(self) -> list[int | str]:
        """How many records there are after each step, as far as it does not say how few one left out."""
        known = {self.records_in}
        if isinstance(hidden(self.records_out, self.records_in), int):
            known.add(self.records_out)
        secret = any(isinstance(one, str) for one in self.left_out)
        return [
            _said_whole(one.records_after, self.records_in)
            if secret and one.records_after not in known
            else one.records_after
            for one in self.changes
        ]


def _said_whole(records: int, of: int) -> int | str:
    """A number of records that would say how few others are: a bound, or to the nearest ten."""
    said = hidden(records, of)
    return said if isinstance(said, str) else to_tens(records)


def said_change(count: int, records: int, whole: int | str) -> int | str:
    """How many of some records have another value; of a whole that is not said, neither is all but a few.

    >>> said_change(270, 297, ">295"), said_change(295, 297, ">295"), said_change(9, 20, 20)
    (270, '>285', 9)
    """
    if isinstance(whole, int) or records - count >= SMALL:
        return hidden_part(count, whole if isinstance(whole, int) else None)
    return f">{max(int(whole[1:]) - 2 * SMALL, 0)}"


def _step(
    step: Step, change: StepChange, left_out: int | str, share: bool, whole: int | str
) -> dict[str, Any]:
    secret = {one.name for one in step.mechanism.parameters if one.secret} if share else set()
    cells, records = change.cells, change.records_after
    return {
        "index": step.number,
        "mechanism": step.mechanism.name,
        "random": step.mechanism.random,
        "attributes": list(step.attributes),
        "parameters": {name: _plain(value) for name, value in step.parameters.items() if name not in secret},
        "withheld": sorted(secret),
        "removed": list(change.removed),
        "added": list(change.added),
        "left_out": None if share else left_out,
        "new_records": None if share else hidden(max(0, change.records_after - change.records_before)),
        "cells_changed": None
        if share or cells is None
        else {name: said_change(count, records, whole) for name, count in cells.items()},
        "promises": [promise._asdict() for promise in step.mechanism.promises(step)],
    }


def _plain(value: Any) -> Any:
    """A parameter as JSON has it; a hierarchy as its number of levels, since it may list values."""
    if isinstance(value, Hierarchy):
        return {"levels": value.levels}
    if isinstance(value, CombinationMapping):
        return {"combinations": len(value.rows)}
    if isinstance(value, Policy):
        return {"name": Path(value.name).name, "digest": value.digest}
    if isinstance(value, Mapping):
        return {str(name): _plain(one) for name, one in value.items()}
    if isinstance(value, Path):
        return value.name
    return list(map(_plain, value)) if isinstance(value, tuple | list) else value
