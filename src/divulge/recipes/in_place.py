"""A recipe applied where the records are: each step makes the query longer, and the last is written there."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace
from functools import partial

import numpy as np
import numpy.typing as npt

from divulge.engines.external.workplace import (
    MOST_CELLS,
    HeldValues,
    ReleasedColumn,
    ReleaseDialect,
    Workplace,
    computed_query,
    large_classes_query,
    recoded_query,
    sampled_query,
)
from divulge.errors import ParameterError
from divulge.mechanisms.draws import Draws
from divulge.mechanisms.mechanism import Step
from divulge.mechanisms.transitions import Transition, in_canonical_order
from divulge.mechanisms.working_table import WorkingTable
from divulge.recipes.changes import StepChange, same_value
from divulge.recipes.groups_in_place import runs_there, suppressed_groups
from divulge.recipes.growing_query import GrowingQuery, InPlace
from divulge.recipes.mapping_rows import value_mapping
from divulge.recipes.noise_terms import noise_term
from divulge.recipes.outputs.column_kinds import decimal_digits, kind_of, occurring
from divulge.recipes.outputs.csv_lines import spelled
from divulge.recipes.recipe import Recipe
from divulge.table.codes import MISSING, Codes, narrow

NO_ORDER = "records of this table have no order by which they could draw."
NAME_KEY = 'Name an attribute with a value of its own for each record: row_key = "id".'
_BEFORE = "value_before"
ORDER = 0  # the step whose draws put the rows into another order


def runs_in_place(step: Step) -> bool:
    """Whether a step can be done where the records are: value by value, or by an expression."""
    mechanism = step.mechanism
    if mechanism.name == "suppress_records":
        return step["k"] is not None
    if mechanism.name == "sample":
        return step["size"] is None and step["weights"] is None and not step["calibrate"]
    if mechanism.name == "suppress_groups":
        return runs_there(step)
    if mechanism.name == "noise":
        return not (step["correlated"] or step["restore"])
    return mechanism.transition is not None or mechanism.name in _EXPRESSIONS


def refuse_in_place(place: Workplace, recipe: Recipe, *, keep_order: bool) -> None:
    """Refuse a recipe that cannot be applied where the records are."""
    for step in recipe.steps:
        if not runs_in_place(step):
            raise step.error(
                "mechanism",
                f"{step.mechanism.name} needs all records together, and is not done where they are "
                f"({place.kind}).",
                "Give more memory, or leave out --memory."
                if place.kind == "out of core"
                else f"Up to {MOST_CELLS:,} cells are brought over for it; read fewer attributes or records.",
            )
    if place.row_number is None and recipe.row_key is None and recipe.random:
        raise recipe.place.error(NO_ORDER, NAME_KEY)
    if place.row_number is None and keep_order:
        raise ParameterError("The records of this table have no order that could be kept.")


def released_columns(table: WorkingTable) -> list[ReleasedColumn]:
    """A release that was made here, for a place that it is written to."""
    found = []
    for name, column in table.columns.items():
        kind = kind_of(column)
        digits = decimal_digits(occurring(column)) if kind == "decimal" else None
        values = column.values_of()
        if kind == "text":
            values = [None if one is None else spelled(one) for one in values]
        found.append(ReleasedColumn(name, kind, digits, values))
    return found


def start_in_place(place: Workplace, recipe: Recipe, missing_values: Collection[str]) -> GrowingQuery:
    """All records, each with what it draws by; texts that mean missing are missing."""
    query = place.start(recipe.row_key)
    columns = {name: f"c{number}" for number, name in enumerate(place.attributes)}
    query = unmarked_query(place.dialect, query, place.hidden, columns.values(), missing_values)
    if recipe.row_key is not None:
        _check_key(place, query, recipe)
    return GrowingQuery(place, query, columns, place.records, query)


def unmarked_query(
    dialect: ReleaseDialect,
    query: str,
    hidden: Collection[str],
    columns: Collection[str],
    missing_values: Collection[str],
) -> str:
    """The records of a query with texts that mean missing among the missing."""
    if not missing_values:
        return query
    marks = ", ".join(dialect.literal(text) for text in sorted(missing_values))
    picked = [
        f"CASE WHEN {dialect.as_text(one)} IN ({marks}) THEN NULL ELSE {one} END AS {one}" for one in columns
    ]
    return f"SELECT {', '.join([*hidden, *picked])} FROM ({query}) AS t"


def _check_key(place: Workplace, query: str, recipe: Recipe) -> None:
    [(present, distinct)] = place.rows(f"SELECT count(k), count(DISTINCT k) FROM ({query}) AS t")
    if not present == distinct == place.records:
        raise (recipe.place / "row_key").error(
            f"'{recipe.row_key}' does not give each record a value of its own.",
            "Name an attribute without missing or repeated values.",
        )


def step_in_place(state: GrowingQuery, step: Step, draws: Draws) -> tuple[GrowingQuery, StepChange]:
    """One step, and what it changed."""
    done, cells = _EXPRESSIONS.get(step.mechanism.name, _by_value)(state, step, draws)
    change = StepChange(
        state.records,
        done.records,
        {name: count for name, count in cells.items() if count},
        tuple(name for name in state.columns if name not in done.columns),
        tuple(name for name in done.columns if name not in state.columns),
    )
    return done, change


def row_order(state: GrowingQuery, recipe: Recipe, seed: int, *, keep_order: bool) -> str | None:
    """What the released rows are sorted by: a draw, or the numbers of rows.

    Where records have neither a key nor a number, they draw by their own released values.
    """
    if keep_order:
        return state.place.row_number
    dialect, key = state.place.dialect, Draws(seed, ORDER).key(recipe.rows_purpose)
    if recipe.row_key is not None or state.place.row_number is not None:
        return dialect.uniform(key)
    texts = [f"coalesce({dialect.as_text(one)}, '')" for one in state.columns.values()]
    return dialect.draw(" || ':' || ".join([f"'{key}'", *texts]))


# -- the steps ----------------------------------------------------------------------------------------


def _by_value(state: GrowingQuery, step: Step, draws: Draws) -> tuple[GrowingQuery, dict[str, int]]:
    """Every attribute joined with a table that says what becomes of its values."""
    cells = {}
    for name in step.attributes:
        state, cells[name] = _recoded(state, name, step, draws)
    return state, cells


def _recoded(state: GrowingQuery, name: str, step: Step, draws: Draws) -> tuple[GrowingQuery, int]:
    place, column = state.place, state.columns[name]
    held = place.values(state.of(column), column)
    if held is None:
        raise step.error(
            "attributes",
            f"'{name}' has more than {place.most_values:,} values, too many to be looked at one by one "
            "where the records are.",
            "Recode it into fewer values first, or read the table from a file.",
        )
    codes = in_canonical_order(coded_values(held))
    counts = np.bincount(codes.codes, held.counts, codes.cardinality).astype(np.int64)
    assert step.mechanism.transition is not None
    made = step.mechanism.transition(codes.values, counts, name, step)
    mapping = value_mapping(codes, made)
    recoded = partial(
        recoded_query,
        column=column,
        mapping=place.mapping(held, mapping),
        uniform=None if mapping.certain else place.dialect.uniform(draws.key(name)),
        parts=mapping.parts,
        dialect=place.dialect,
        also_missing=mapping.also_missing,
    )
    changed = _certainly_changed(codes, counts, made)
    if changed is None:
        changed = _counted_changes(state, recoded, column)
    return state.with_column(column, recoded), changed


def coded_values(held: HeldValues) -> Codes:
    """The values that a place holds as codes of so many rows, one each."""
    present = [value for value in held.values if value is not None]
    places = iter(range(1, len(present) + 1))
    codes = np.array([MISSING if value is None else next(places) for value in held.values], np.int64)
    return Codes(narrow(codes, len(present)), present)


def _certainly_changed(codes: Codes, counts: npt.NDArray[np.int64], made: Transition) -> int | None:
    """How many cells differ where nothing is drawn; None where that has to be counted."""
    if not made.certain:
        return None
    released = Codes(narrow(made.target, len(made.released)), made.released)
    return sum(
        times
        for code, times in enumerate(counts.tolist())
        if times and not same_value(codes.value(code), released.value(int(made.target[code])))
    )


def _counted_changes(state: GrowingQuery, changed: Callable[..., str], column: str) -> int:
    """How many cells of a column would differ from what they are."""
    place = state.place
    query = changed(state.of(column), [*place.hidden, column], before=_BEFORE)
    text = place.dialect.as_text
    differ = f"coalesce({text(_BEFORE)}, '') <> coalesce({text(column)}, '')"
    differ += f" OR ({_BEFORE} IS NULL) <> ({column} IS NULL)"
    return place.number(f"SELECT count(*) FROM ({query}) AS t WHERE {differ}")


def _removed(state: GrowingQuery, step: Step, draws: Draws) -> tuple[GrowingQuery, dict[str, int]]:
    left = {name: column for name, column in state.columns.items() if name not in step.attributes}
    if not left:
        raise step.error("attributes", "nothing would be left of the table.", "Keep one attribute.")
    return replace(state, columns=left), {}


def _large_classes(state: GrowingQuery, step: Step, draws: Draws) -> tuple[GrowingQuery, dict[str, int]]:
    keys = [state.columns[name] for name in step.attributes]
    query = large_classes_query(state.query, state.selected, keys, step["k"])
    return state.with_records(query).counted(step), {}


def _sampled(state: GrowingQuery, step: Step, draws: Draws) -> tuple[GrowingQuery, dict[str, int]]:
    place, name = state.place, step["weight_name"]
    strata = [state.columns[one] for one in step["strata"]]
    if step["fraction"] == 0:
        raise step.error("fraction", "no record would be left.", "Write a share above 0.")
    query = sampled_query(
        state.query, state.selected, strata, float(step["fraction"]), draws.key("records"), place.dialect
    )
    columns = {one: column for one, column in state.columns.items() if one != name}
    if name:
        weight = f"w{step.number}"
        hidden = ", ".join([*place.hidden, *columns.values()])
        query = f"SELECT {hidden}, weight AS {weight} FROM ({query}) AS w"
        columns = (
            {**columns, name: weight}
            if name not in state.columns
            else {one: weight if one == name else column for one, column in state.columns.items()}
        )
    return replace(state.with_records(query), columns=columns).counted(step), {}


def _noisy(state: GrowingQuery, step: Step, draws: Draws) -> tuple[GrowingQuery, dict[str, int]]:
    """Every attribute with noise by an expression."""
    cells = {}
    for name in step.attributes:
        column = state.columns[name]
        term = noise_term(state.place, state.of(column), column, name, step, draws)
        computed = partial(computed_query, column=column, term=term)
        cells[name] = _counted_changes(state, computed, column)
        state = state.with_column(column, computed)
    return state, cells


_EXPRESSIONS: dict[str, InPlace] = {
    "remove": _removed,
    "suppress_records": _large_classes,
    "suppress_groups": suppressed_groups,
    "sample": _sampled,
    "noise": _noisy,
    "multiplicative_noise": _noisy,
    "laplace_noise": _noisy,
}
