"""The manifest: what was done to a table, from which file, into which, and what is promised of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from divulge._support.notebook import table_view
from divulge.documents import headed
from divulge.mechanisms.mechanism import Promise, Step
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
    promises: tuple[Promise, ...] = ()
    input_digest: str | None = None
    output_digest: str | None = None

    def _repr_html_(self) -> str:
        rows = [
            [str(step.number), step.mechanism.title, ", ".join(step.attributes)] for step in self.recipe.steps
        ]
        return table_view("What was done", ["step", "mechanism", "attributes"], rows)

    def to_dict(self, *, share: bool = False) -> dict[str, Any]:
        """The manifest as a JSON document, whole or as it may travel with the data."""
        steps = [
            _step(step, change, share) for step, change in zip(self.recipe.steps, self.changes, strict=True)
        ]
        body: dict[str, Any] = {
            "shared": share,
            "recipe": {"name": Path(self.recipe.name).name, "digest": None if share else self.recipe.digest},
            "seed": None if share else self.seed,
            "input": None if share else {"digest": self.input_digest, "records": self.records_in},
            "output": {"digest": self.output_digest, "records": self.records_out},
            "rows": "shuffled" if self.shuffled else "in the order of the original",
            "steps": steps,
            "promises": [promise._asdict() for promise in self.promises],
            "notes": list(self.notes),
        }
        found: dict[str, Any] = headed("manifest", body)
        return found


def _step(step: Step, change: StepChange, share: bool) -> dict[str, Any]:
    secret = {one.name for one in step.mechanism.parameters if one.secret} if share else set()
    shown = {name: _plain(value) for name, value in step.parameters.items() if name not in secret}
    found: dict[str, Any] = {
        "number": step.number,
        "mechanism": step.mechanism.name,
        "random": step.mechanism.random,
        "attributes": list(step.attributes),
        "parameters": shown,
        "withheld": sorted(secret),
        "removed": list(change.removed),
        "added": list(change.added),
        "promises": [promise._asdict() for promise in step.mechanism.promises(step)],
    }
    if not share:
        found["records"] = {"before": change.records_before, "after": change.records_after}
        found["cells_changed"] = change.cells
    return found


def _plain(value: Any) -> Any:
    """A parameter as JSON has it; a hierarchy as its number of levels, since it may list values."""
    if isinstance(value, Hierarchy):
        return {"levels": value.levels}
    if isinstance(value, Mapping):
        return {name: _plain(one) for name, one in value.items()}
    return list(map(_plain, value)) if isinstance(value, tuple | list) else value
