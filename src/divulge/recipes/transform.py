"""A recipe applied to a table: step by step, each draw from a stream of its own, then rows shuffled."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from divulge.engines.coded_table import NONE, Markers, without_markers
from divulge.engines.external.workplace import MOST_CELLS, ReceivingWorkplace, Workplace
from divulge.engines.opening import engine_for, is_elsewhere, may_be_brought_over, workplace_for
from divulge.errors import ParameterError, TooMuch
from divulge.mechanisms.draws import Draws, new_seed
from divulge.mechanisms.working_table import WorkingTable
from divulge.questions.data import Data, read
from divulge.questions.keywords import refuse_unknown
from divulge.recipes.changes import StepChange, step_change
from divulge.recipes.files import refuse_existing, refuse_release, write_release
from divulge.recipes.frames import frame_like, is_frame
from divulge.recipes.groups_in_place import counts_people
from divulge.recipes.growing_query import GrowingQuery
from divulge.recipes.in_place import (
    NAME_KEY,
    NO_ORDER,
    refuse_in_place,
    released_columns,
    row_order,
    runs_in_place,
    start_in_place,
    step_in_place,
)
from divulge.recipes.manifest import Manifest
from divulge.recipes.promises import promised
from divulge.recipes.recipe import Recipe, as_recipe
from divulge.recipes.unchanged import caution, identifying, identifying_by_name, unchanged_attributes
from divulge.source.base import Source, left_behind
from divulge.source.options import SUPPRESSED
from divulge.source.origin import remember_rows
from divulge.table.schema import Schema

Stage = Callable[[str], None]
_NO_KEY = "Leave out --write-key."
LEAST_SEED = 10**11  # from which on a seed takes long to find by trying
ORDER = 0  # the step whose draws put the rows into another order: after all others, which count from 1


class Transformed(NamedTuple):
    """A release, as a frame of the kind that came in, and what was done.

    ``beside`` are further tables that go out with it, as the sensitive values of an anatomy, by name.
    """

    data: Any
    manifest: Manifest
    beside: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True, eq=False)
class Application:
    """A recipe that was applied: the table it gave, where it is at hand, and what was done."""

    table: WorkingTable
    manifest: Manifest
    unmarked: frozenset[str] = frozenset()  # attributes with values that meant missing, and are missing now

    @property
    def untouched(self) -> frozenset[str]:
        """The attributes of which no record has another value than it had."""
        return frozenset(self.manifest.unchanged) - self.unmarked


def transform(
    data: object,
    recipe: Recipe | str | os.PathLike[str] | Mapping[str, Any] | Sequence[Mapping[str, Any]],
    *,
    seed: int | None = None,
    keep_order: bool = False,
    out: str | os.PathLike[str] | None = None,
    overwrite: bool = False,
    **options: Any,
) -> Transformed:
    """What a recipe makes of a table: pandas gives pandas, Polars gives Polars, Arrow gives Arrow.

    A path or :class:`Data` gives :class:`Data`, with the roles of what is left. ``seed`` goes before that of
    the recipe; without either one is drawn that nobody can guess, and the manifest has it. Rows come in
    another order unless ``keep_order``, since the order of rows can say whose they are, and rows of a frame
    lose their labels. ``out`` is a file to write the release to, in the form that its ending says, or a table
    of the same database, as "#released": then the release is made there, and no data come back. Options are
    those of :func:`read`, such as ``missing_values`` and ``suppressed``.

    >>> steps = [{"mechanism": "rounding", "attributes": ["age"], "base": 10}]
    >>> transform({"age": [31, 38]}, steps, keep_order=True).data
    {'age': [30, 40]}
    """
    refuse_unknown(options)
    if type(data).__name__ == "RecordBatchReader":  # it can be read once
        data = data.read_all()  # type: ignore[attr-defined]
    place = None if out is None else os.fspath(out)
    if place is not None:
        refuse_place(data, place, overwrite=overwrite, layout=options.get("layout"))
    before = data if isinstance(data, Data) else read(data, **options)
    done = make_release(
        before,
        as_recipe(recipe),
        out=place,
        overwrite=overwrite,
        layout=options.get("layout"),
        seed=seed,
        keep_order=keep_order,
    )
    if done.table is None:
        return Transformed(done.frame, done.manifest)
    others = done.table.beside or {}
    if is_frame(data):
        beside = {name: frame_like(data, one) for name, one in others.items()}
        return Transformed(frame_like(data, done.table, done.untouched), done.manifest, beside)
    return Transformed(
        _with_roles(before, done.table), done.manifest, {name: read(one) for name, one in others.items()}
    )


def _with_roles(before: Data, table: WorkingTable) -> Data:
    """A release as data with the roles, hierarchies and weights of what is left of the original."""
    schema, left = before.schema, set(table.attributes)
    return Data(
        engine_for(table, before.source),
        Schema(
            table.attributes,
            *(
                tuple(name for name in names if name in left)
                for names in (schema.identifiers, schema.quasi_identifiers, schema.sensitive)
            ),
        ),
        before.weights if before.weights in left else None,
        before.missing,
        before.missing_values,
        before.suppressed,
        {name: one for name, one in before.hierarchies.items() if name in left},
        {name: one for name, one in before.orders.items() if name in left},
    )


def released_data(original: Data, recipe: Recipe, seed: int | None = None) -> Data:
    """What a recipe makes of data, as data of which it is known which row each record was made from."""
    mark = original.suppressed or SUPPRESSED
    original = replace(original, missing_values=original.missing_values | recipe.missing_values)
    table = applied(
        original.one_by_one().source, recipe, seed=seed, mark=mark, missing_values=original.missing_values
    ).table
    table = replace(table, name=Path(recipe.name).name)
    if table.rows is not None:
        remember_rows(table, table.rows)
    return read(
        table,
        missing=original.missing,
        missing_values=tuple(original.missing_values),
        suppressed=original.suppressed,
    )


class MadeRelease(NamedTuple):
    """A release that was made: its table where that is at hand, or a frame of Spark, and what was done."""

    table: WorkingTable | None
    frame: Any
    manifest: Manifest
    untouched: frozenset[str] = frozenset()


def refuse_place(data: object, out: str, *, overwrite: bool, layout: str | None = None) -> None:
    """Refuse a file for a release before anything is read; a table is looked for where it would be."""
    if not is_table_name(out) and "://" not in out:
        spark = type(data).__module__.startswith("pyspark")
        (refuse_existing if spark else partial(refuse_release, layout=layout))(Path(out), overwrite=overwrite)


def is_table_name(out: str) -> bool:
    """Whether a place for a release is a table of the database that is read."""
    return out.startswith("#")


def make_release(
    data: Data,
    recipe: Recipe,
    *,
    out: str | None,
    overwrite: bool = False,
    layout: str | None = None,
    seed: int | None = None,
    keep_order: bool = False,
    with_key: bool = False,
    stage: Stage = lambda words: None,
) -> MadeRelease:
    """Make a release and write it: where the records are, as far as its steps allow, or else here.

    ``with_key`` refuses one of which nobody would know which row each record was.
    """
    data = replace(data, missing_values=data.missing_values | recipe.missing_values)
    source = data.one_by_one().source
    recipe.check(source.attributes)
    there = workplace_for(source, out, overwrite=overwrite)
    if there is not None and with_key:
        raise ParameterError("There is no key: the release is made where its data are.", hint=_NO_KEY)
    together = there is not None and any(
        not runs_in_place(step) or counts_people(step, data) for step in recipe.steps
    )
    if there is not None and not (together and may_be_brought_over(source)):
        return _made_there(there, data, recipe, seed_for(recipe, seed), keep_order, stage)
    if there is None and out is not None and is_table_name(out):
        raise ParameterError("A table is named for the release, and the data are in no database.")
    _refuse_bringing(source, recipe)
    done = applied(
        source,
        recipe,
        seed=seed,
        keep_order=keep_order,
        mark=data.suppressed or SUPPRESSED,
        missing_values=data.missing_values,
        stage=stage,
    )
    if with_key and done.table.rows is None:
        raise ParameterError(
            "There is no key: the records of this release are not those of single rows.", hint=_NO_KEY
        )
    manifest = done.manifest
    with ThreadPoolExecutor(1) as beside:  # names are looked for while libraries write
        named = beside.submit(identifying, done.table)
        if there is not None:
            stage("Writing")
            with there as place:
                assert isinstance(place, ReceivingWorkplace)  # only such are brought over
                place.write_columns(released_columns(done.table))
        elif out is not None:
            stage("Writing")
            digest = write_release(done.table, Path(out), overwrite=overwrite, layout=layout)
            manifest = replace(manifest, output_digest=digest)
    manifest = replace(
        manifest,
        notes=(*manifest.notes, *filter(None, [left_behind(source)])),
        cautions=(*manifest.cautions, *caution(named.result())),
    )
    if there is not None:
        return MadeRelease(None, place.released, manifest)
    return MadeRelease(done.table, None, manifest, done.untouched)


def _made_there(
    there: AbstractContextManager[Workplace],
    data: Data,
    recipe: Recipe,
    seed: int,
    keep_order: bool,
    stage: Stage,
) -> MadeRelease:
    """A release that is made and written where the records are."""
    with there as place:
        state, changes = steps_in_place(place, data, recipe, seed, keep_order=keep_order, stage=stage)
        stage("Writing")
        order = row_order(state, recipe, seed, keep_order=keep_order)
        place.write(state.query, list(state.columns.items()), order)
    released = list(state.columns)
    manifest = manifest_of(
        recipe, seed, changes, released, place.records, state.records, keep_order=keep_order
    )
    named = caution(identifying_by_name(released))
    manifest = replace(manifest, engine=place.kind, cautions=(*manifest.cautions, *named))
    return MadeRelease(None, place.released, replace(manifest, output_digest=place.digest))


def steps_in_place(
    place: Workplace,
    data: Data,
    recipe: Recipe,
    seed: int,
    *,
    keep_order: bool = False,
    stage: Stage = lambda words: None,
) -> tuple[GrowingQuery, list[StepChange]]:
    """The records where they are after all steps of a recipe, and what each step changed."""
    refuse_in_place(place, recipe, keep_order=keep_order)
    state, changes = start_in_place(place, recipe, data.missing_values), []
    for step in recipe.steps:
        stage(step.mechanism.title)
        marked = replace(step, mark=data.suppressed or SUPPRESSED)
        state, change = step_in_place(state, marked, Draws(seed, step.number))
        changes.append(change)
    return state, changes


def _refuse_bringing(source: Source, recipe: Recipe) -> None:
    """Refuse to bring over a table that is larger than can be held."""
    cells = source.records * len(source.attributes)
    if is_elsewhere(source) and cells > MOST_CELLS:
        raise TooMuch(
            f"The release would be made here, and {source.name} has {cells:,} cells; "
            f"up to {MOST_CELLS:,} are brought over.",
            hint="Name a table of the same database for it: --out '#released'.",
        )
    if recipe.random and recipe.row_key is None and is_elsewhere(source):
        raise recipe.place.error(NO_ORDER, NAME_KEY)


def applied(
    source: Source,
    recipe: Recipe,
    *,
    seed: int | None = None,
    keep_order: bool = False,
    mark: str = SUPPRESSED,
    missing_values: Markers = NONE,
    stage: Stage = lambda words: None,
) -> Application:
    """A recipe applied to all records of a source that can be held in memory."""
    recipe.check(source.attributes)
    seed = seed_for(recipe, seed)
    start = WorkingTable.read(source, mark)
    unmarked = {name: without_markers(column, missing_values) for name, column in start.columns.items()}
    unmarked = {name: column for name, column in unmarked.items() if column is not start.column(name)}
    start = start.with_columns(unmarked)
    if recipe.row_key is not None:
        start = start.drawing_by(recipe.row_key, recipe.place / "row_key")
    table = start
    changes = []
    for step in recipe.steps:
        stage(step.mechanism.title)
        step = replace(step, mark=mark)
        before, table = table, step.mechanism.apply(table, step, Draws(seed, step.number))
        changes.append(step_change(before, table))
    if not keep_order:
        table = table.taking(Draws(seed, ORDER).order(recipe.rows_purpose, table.draw_rows))
    sizes = start.records, table.records
    manifest = manifest_of(recipe, seed, changes, table.attributes, *sizes, keep_order=keep_order)
    return Application(table, manifest, frozenset(unmarked))


def manifest_of(
    recipe: Recipe,
    seed: int,
    changes: Sequence[StepChange],
    released: Sequence[str],
    before: int,
    after: int,
    *,
    keep_order: bool,
) -> Manifest:
    """What was done, step by step, to so many records."""
    held = promised(recipe.steps)
    return Manifest(
        recipe,
        seed if recipe.random or not keep_order else None,
        before,
        after,
        tuple(changes),
        not keep_order,
        notes=(*held.notes, *_unseeded(recipe)),
        cautions=_guessable(recipe, seed) if recipe.random or not keep_order else (),
        promises=held.promises,
        unchanged=unchanged_attributes(released, changes),
    )


def seed_for(recipe: Recipe, seed: int | None) -> int:
    """The seed to draw with: the one that is asked for, or the recipe's, or a new one."""
    given = next((one for one in (seed, recipe.seed) if one is not None), None)
    return new_seed() if given is None else given


def _unseeded(recipe: Recipe) -> list[str]:
    """Which steps no seed repeats."""
    return [
        f"Step {step.number} ({step.mechanism.name}) draws from the system: no seed repeats it."
        for step in recipe.steps
        if not step.mechanism.seeded
    ]


def _guessable(recipe: Recipe, seed: int) -> tuple[str, ...]:
    """That a seed is small enough to be tried."""
    if seed >= LEAST_SEED:
        return ()
    return (
        "The seed is small: anyone who guesses it can undo what is drawn, and the order of rows. Leave it "
        "out, or use a number of 12 digits or more, for one release only.",
    )
