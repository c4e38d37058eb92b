"""A recipe applied to a table: step by step, each draw from a stream of its own, then rows shuffled."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from divulge.engines.opening import open_source
from divulge.mechanisms.draws import Draws, new_seed
from divulge.mechanisms.working_table import WorkingTable
from divulge.questions.data import Data, read
from divulge.recipes.changes import step_change
from divulge.recipes.frames import frame_like
from divulge.recipes.manifest import Manifest
from divulge.recipes.promises import promised
from divulge.recipes.recipe import Recipe, as_recipe
from divulge.source.base import Source
from divulge.source.options import SUPPRESSED, SourceOptions
from divulge.source.origin import remember_rows

Stage = Callable[[str], None]
ORDER = 0  # the step whose draws put the rows into another order: after all others, which count from 1


class Transformed(NamedTuple):
    """A release, as a frame of the kind that came in, and what was done."""

    data: Any
    manifest: Manifest


@dataclass(frozen=True, eq=False)
class Application:
    """A recipe that was applied: the table it gave, and what was done."""

    table: WorkingTable
    manifest: Manifest


def transform(
    data: object,
    recipe: Recipe | str | os.PathLike[str] | Mapping[str, Any] | Sequence[Mapping[str, Any]],
    *,
    seed: int | None = None,
    keep_order: bool = False,
    suppressed: str = SUPPRESSED,
    **options: Any,
) -> Transformed:
    """What a recipe makes of a table: pandas gives pandas, Polars gives Polars, Arrow gives Arrow.

    A path or :class:`Data` gives columns of values by name. ``seed`` goes before that of the recipe; without
    either one is drawn that nobody can guess, and the manifest has it. Rows come in another order unless
    ``keep_order``, since the order of rows can say whose they are.

    >>> steps = [{"mechanism": "rounding", "attributes": ["age"], "base": 10}]
    >>> transform({"age": [31, 38]}, steps, keep_order=True).data
    {'age': [30, 40]}
    """
    source = data.source if isinstance(data, Data) else open_source(data, SourceOptions(**options))
    done = applied(source, as_recipe(recipe), seed=seed, keep_order=keep_order, mark=suppressed)
    return Transformed(frame_like(data, done.table), done.manifest)


def released_data(original: Data, recipe: Recipe, seed: int | None = None) -> Data:
    """What a recipe makes of data, as data of which it is known which row each record was made from."""
    mark = original.suppressed or SUPPRESSED
    table = applied(original.source, recipe, seed=seed, mark=mark).table
    if table.rows is not None:
        remember_rows(table, table.rows)
    return read(
        table,
        missing=original.missing,
        missing_values=tuple(original.missing_values),
        suppressed=original.suppressed,
    )


def applied(
    source: Source,
    recipe: Recipe,
    *,
    seed: int | None = None,
    keep_order: bool = False,
    mark: str = SUPPRESSED,
    stage: Stage = lambda words: None,
) -> Application:
    """A recipe applied to all records of a source that can be held in memory."""
    recipe.check(source.attributes)
    seed = next((one for one in (seed, recipe.seed) if one is not None), None)
    seed = new_seed() if seed is None else seed
    start = table = WorkingTable.read(source, mark)
    changes = []
    for step in recipe.steps:
        stage(step.mechanism.title)
        before, table = table, step.mechanism.apply(table, step, Draws(seed, step.number))
        changes.append(step_change(before, table))
    if not keep_order:
        table = table.taking(Draws(seed, ORDER).order("rows", table.draw_rows))
    held = promised(recipe.steps)
    manifest = Manifest(
        recipe,
        seed if recipe.random or not keep_order else None,
        start.records,
        table.records,
        tuple(changes),
        not keep_order,
        notes=(*held.notes, *_unseeded(recipe)),
        promises=held.promises,
    )
    return Application(table, manifest)


def _unseeded(recipe: Recipe) -> list[str]:
    """Which steps no seed repeats."""
    return [
        f"Step {step.number} ({step.mechanism.name}) draws from the system: no seed repeats it."
        for step in recipe.steps
        if not step.mechanism.seeded
    ]
