"""Groups beyond a policy suppressed where the records are: counted there, decided here, and marked there."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from divulge.engines.external.workplace import (
    MOST_CELLS,
    ReleaseDialect,
    ValueMapping,
    recoded_query,
)
from divulge.mechanisms.draws import Draws
from divulge.mechanisms.mechanism import Step
from divulge.mechanisms.suppression.policy_groups import beyond_policy, least_size
from divulge.mechanisms.suppression.records import NO_RECORD
from divulge.mechanisms.working_table import WorkingTable
from divulge.policy import Policy
from divulge.questions.data import Data
from divulge.recipes.growing_query import GrowingQuery
from divulge.recipes.outputs.column_kinds import kind_of
from divulge.recipes.outputs.csv_lines import spelled
from divulge.source.dictionary import encode_objects
from divulge.table.codes import Codes, narrow
from divulge.table.schema import Role

_GROUP, _BEYOND = "group_key", "group_beyond"


def runs_there(step: Step) -> bool:
    """Whether groups can be counted from combinations of values: not where a missing value fits any."""
    said = step["policy"].data.given("values")
    return said.get("missing") != "wildcard"


def counts_people(step: Step, data: Data) -> bool:
    """Whether a step decides about groups of people who have several records, for which these are needed."""
    if step.mechanism.name != "suppress_groups":
        return False
    rules = step["policy"].attributes
    people = [
        name
        for name in data.source.attributes
        if name in rules and rules[name].role is Role.IDENTIFIER and name not in step.attributes
    ]
    return bool(people) and data.distinct(people) < data.records


def suppressed_groups(state: GrowingQuery, step: Step, draws: Draws) -> tuple[GrowingQuery, dict[str, int]]:
    """The records with groups beyond the policy suppressed, or left out."""
    _refuse_people(state, step)
    keys = [state.columns[name] for name in step.attributes]
    query = _by_size(state, keys, step) or _by_policy(state, step)
    if query is None:
        return state, {}
    if step["leave_out"]:
        kept = f"SELECT {', '.join(state.selected)} FROM ({query}) AS g WHERE {_BEYOND} IS NULL"
        return state.with_records(kept).counted(step), {}
    if not state.place.number(f"SELECT count(*) FROM ({query}) AS g WHERE {_BEYOND} IS NULL"):
        raise step.error(None, *NO_RECORD)
    cells = {
        name: state.place.number(_differing(state.place.dialect, query, state.columns[name], step.mark))
        for name in step.attributes
    }
    if not any(cells.values()):
        return state, {}
    made = replace(state, query=query)
    texts = {}
    for name in step.attributes:
        made, texts[state.columns[name]] = _as_text(made, name, [*state.selected, _BEYOND], step)
    mark = state.place.dialect.literal(step.mark)
    picked = [
        f"CASE WHEN {_BEYOND} IS NULL THEN {texts[one]} ELSE {mark} END AS {one}" if one in texts else one
        for one in state.selected
    ]
    return state.with_records(f"SELECT {', '.join(picked)} FROM ({made.query}) AS g"), cells


def _by_size(state: GrowingQuery, keys: Sequence[str], step: Step) -> str | None:
    """The records with a mark on those in small groups, where that is all the policy asks; None where not."""
    said = step["policy"].data.given("values")
    least = least_size(step)
    if least is None or said.get("weights") or said.get("missing", "value") != "value":
        return None
    size = f"count(*) OVER (PARTITION BY {', '.join(keys)})"
    marked = f"CASE WHEN {size} < {least} THEN 1 END AS {_BEYOND}"
    return f"SELECT {', '.join(state.selected)}, {marked} FROM ({state.query}) AS t"


def _by_policy(state: GrowingQuery, step: Step) -> str | None:
    """The same where combinations of values are counted and come over; None where no group is beyond."""
    place, names = state.place, _counted(step, state.columns)
    columns = [state.columns[name] for name in names]
    # Where gaps drop records, of one group those are in none that lack what it is held against.
    dropping = step["policy"].data.given("values").get("missing") == "drop"
    own = columns if dropping else [state.columns[name] for name in step.attributes]
    key = group_key(place.dialect, own)
    keyed = f"SELECT {', '.join(state.selected)}, {key} AS {_GROUP} FROM ({state.query}) AS t"
    most = MOST_CELLS // len(names)
    by = ", ".join([_GROUP, *columns])
    found = place.rows(f"SELECT {by}, count(*) AS n FROM ({keyed}) AS k GROUP BY {by} LIMIT {most + 1}")
    if len(found) > most:
        raise step.error(
            "policy",
            f"its groups and their sensitive values are more than {MOST_CELLS:,} cells, too many to be "
            f"looked at one by one where the records are ({place.kind}).",
            "Recode the attributes to coarser levels first.",
        )
    groups, *values, times = (list(one) for one in zip(*found, strict=True))
    table = WorkingTable.of(
        {name: encode_objects(name, one) for name, one in zip(names, values, strict=True)}, step.mark
    )
    beyond = beyond_policy(replace(table, times=np.asarray(times, np.int64)), step)
    if not beyond.any():
        return None
    if beyond.all():
        raise step.error(None, *NO_RECORD)
    marked = {groups[row] for row in np.flatnonzero(beyond).tolist()}
    held = place.values(keyed, _GROUP)
    if held is None:
        raise step.error(
            "policy",
            f"there are more than {place.most_values:,} groups, too many to be looked at one by one where "
            f"the records are ({place.kind}).",
            "Recode the attributes to coarser levels first.",
        )
    places = np.array([at for at, one in enumerate(held.values) if one in marked], np.int64)
    mapping = place.mapping(held, _texts(places, ["1"] * len(places)))
    made = recoded_query(
        keyed, [*state.selected, _GROUP], _GROUP, mapping, None, 1, place.dialect, also_missing=False
    )
    return f"SELECT {', '.join(state.selected)}, {_GROUP} AS {_BEYOND} FROM ({made}) AS m"


def _counted(step: Step, columns: Collection[str]) -> list[str]:
    """The attributes that decide about groups: those of the step and what the policy reads of them."""
    policy: Policy = step["policy"]
    weights = policy.data.given("values").get("weights")
    named = [*policy.attributes, *(name for one in policy.thresholds for name in one.target or ())]
    people = {name for name, rule in policy.attributes.items() if rule.role is Role.IDENTIFIER}
    asked = dict.fromkeys([*step.attributes, *named, *([weights] if weights else [])])
    return [name for name in asked if name in columns and (name not in people or name in step.attributes)]


def _refuse_people(state: GrowingQuery, step: Step) -> None:
    """Refuse where people have several records: groups of people are not counted from combinations."""
    rules = step["policy"].attributes
    people = [
        state.columns[n]
        for n, rule in rules.items()
        if rule.role is Role.IDENTIFIER and n in state.columns and n not in step.attributes
    ]
    if not people:
        return
    inner = f"SELECT {', '.join(people)} FROM ({state.query}) AS t GROUP BY {', '.join(people)}"
    if state.place.number(f"SELECT count(*) FROM ({inner}) AS p") < state.records:
        raise step.error(
            "policy",
            f"people have several records, and groups of people are not counted where the records are "
            f"({state.place.kind}).",
            "Give more memory, or leave out --memory."
            if state.place.kind == "out of core"
            else f"The table has more than the {MOST_CELLS:,} cells that are brought over for it: read fewer "
            "attributes or records, or write one record for each person.",
        )


def group_key(dialect: ReleaseDialect, keys: Sequence[str]) -> str:
    """A text that records of one group share and those of two do not."""
    texts = [dialect.as_text(one) for one in keys]
    lengths = [dialect.as_text(f"length({one})") for one in texts]
    parts = zip(lengths, texts, strict=True)
    return " || ".join(f"coalesce({length} || ':' || {text}, '-')" for length, text in parts)


def _differing(dialect: ReleaseDialect, query: str, column: str, mark: str) -> str:
    """How many cells of a column the mark is something else than."""
    other = f"{column} IS NULL OR {dialect.as_text(column)} <> {dialect.literal(mark)}"
    return f"SELECT count(*) FROM ({query}) AS g WHERE {_BEYOND} IS NOT NULL AND ({other})"


def _as_text(state: GrowingQuery, name: str, selected: Sequence[str], step: Step) -> tuple[GrowingQuery, str]:
    """The records with a column as texts, spelled as a release here would be; text stays as it is."""
    place, column = state.place, state.columns[name]
    held = place.values(state.query, column)
    if held is None:
        raise step.error(
            "attributes",
            f"'{name}' has more than {place.most_values:,} values, too many to be looked at one by one where "
            "the records are.",
            "Recode it into fewer values first, or leave records out instead: leave_out = true.",
        )
    present = [(at, value) for at, value in enumerate(held.values) if value is not None]
    codes = Codes(narrow(np.arange(1, len(present) + 1), len(present)), [value for _, value in present])
    if kind_of(codes) == "text":
        return state, column
    places = np.array([at for at, _ in present], np.int64)
    mapping = place.mapping(held, _texts(places, [spelled(value) for _, value in present]))
    query = recoded_query(
        state.query, list(selected), column, mapping, None, 1, place.dialect, also_missing=False
    )
    return replace(state, query=query), column


def _texts(places: Any, released: Sequence[str]) -> ValueMapping:
    """Values at some places, and the texts they become."""
    zeros = np.zeros(len(places))
    whole = zeros.astype(np.int64)
    return ValueMapping(
        places, zeros, 1, whole, zeros, zeros, released, "text", None, certain=True, also_missing=False
    )
