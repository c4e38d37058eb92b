"""Values recoded only where their record is in too small a group."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from divulge._support.wording import some
from divulge.mechanisms.draws import Draws
from divulge.mechanisms.mechanism import MechanismLaw, Promise, Step, by_table
from divulge.mechanisms.parameters import Parameter
from divulge.mechanisms.working_table import WorkingTable
from divulge.table.codes import MISSING, Codes, narrow
from divulge.table.hierarchy import Hierarchy
from divulge.table.packing import packed, ranked

Integers = npt.NDArray[np.int64]


@by_table(
    name="recode_cells",
    title="Local recoding",
    random=False,
    takes="any values",
    parameters=(
        Parameter(
            "hierarchy",
            "hierarchy",
            "For each attribute a file whose rows are a value and its groups, the finest first.",
        ),
        Parameter("k", "whole number", "Fewest records in a group.", least=2, example="5"),
    ),
    laws=frozenset({MechanismLaw.ORDER, MechanismLaw.IDEMPOTENT}),
    promises=lambda step: (Promise("k", step["k"], ", ".join(step.attributes)),),
    promise="k on its attributes: at least so many records share their values",
    example="of people in 47677 aged 21, 22 and 90 with k = 2, cells go up until nobody is alone",
    reference="sweeney2002",
)
def recode_cells(table: WorkingTable, step: Step, draws: Draws) -> WorkingTable:
    """Recode cells of records in groups smaller than k, level by level, until every group has k records.

    In each round one attribute of the records that are still in small groups goes up one level: the one after
    which most of them are in groups of k. Other records keep their values. Records that are in a small group
    with every attribute at its top leave.
    """
    ladders = [_ladder(table, name, step) for name in step.attributes]
    codes = [table.column(name).codes for name in step.attributes]
    heights = [np.zeros(table.records, np.int64) for _ in ladders]  # the level of each cell
    while True:
        shown = [one.labels[height, code] for one, height, code in zip(ladders, heights, codes, strict=True)]
        small = _sizes(ladders, shown) < step["k"]
        rising = [small & (height < one.top) for one, height in zip(ladders, heights, strict=True)]
        if not any(one.any() for one in rising):
            break
        tried = []
        for place, rows in enumerate(rising):
            raised = ladders[place].labels[heights[place] + rows, codes[place]]
            after = _sizes(ladders, [*shown[:place], raised, *shown[place + 1 :]])
            met = int(np.count_nonzero(small & (after >= step["k"])))
            tried.append((met, int(np.count_nonzero(raised != shown[place])), -place))
        chosen = -max(tried)[2]
        heights[chosen] = heights[chosen] + rising[chosen]
    if small.all():
        raise step.error("k", "no record would be left.", "Take a smaller k.")
    columns = {
        name: Codes(narrow(label, len(one.names)), one.names)
        for name, one, label in zip(step.attributes, ladders, shown, strict=True)
    }
    return table.with_columns(columns).taking(~small)


class _Ladder(NamedTuple):
    """What each code is shown as at every level: a row for each level, with codes of the names."""

    labels: Integers
    names: list[object]

    @property
    def top(self) -> int:
        return len(self.labels) - 1


def _ladder(table: WorkingTable, attribute: str, step: Step) -> _Ladder:
    hierarchy: Hierarchy | None = step["hierarchy"].get(attribute)
    if hierarchy is None:
        raise step.error("hierarchy", f"'{attribute}' has no hierarchy.", "Add its file.")
    column, known = table.column(attribute), _steps_up(hierarchy)
    used = column.used().tolist()
    outside = [code for code in used if code != MISSING and str(column.values[code - 1]) not in known]
    if outside:
        raise step.error(
            "hierarchy",
            f"the hierarchy of '{attribute}' lacks {some(len(outside), 'value')} of the table.",
            "Add them to its file.",
        )
    places: dict[object, int] = {}
    labels = np.zeros((hierarchy.levels + 1, column.cardinality), np.int64)
    for code in used:
        if code == MISSING:
            continue
        value = column.values[code - 1]
        for level, name in enumerate((value, *known[str(value)])):
            labels[level, code] = places.setdefault(name, len(places) + 1)
    return _Ladder(labels, list(places))


def _steps_up(hierarchy: Hierarchy) -> dict[str, tuple[str, ...]]:
    """What each value is called at level 1, 2 and so on; a group is called itself up to its own level."""
    found: dict[str, tuple[str, ...]] = {}
    rows = list(zip(*hierarchy.groups, strict=True))
    for level in reversed(range(hierarchy.levels)):
        for row in rows:
            found[row[level]] = (row[level],) * (level + 1) + row[level + 1 :]
    return found | dict(zip(hierarchy.values, rows, strict=True))


def _sizes(ladders: Sequence[_Ladder], shown: Sequence[Integers]) -> Integers:
    """For each record how many are shown alike."""
    columns = [(label, len(one.names) + 1) for one, label in zip(ladders, shown, strict=True)]
    number = ranked(packed(columns, len(shown[0])))[0]
    return np.bincount(number)[number]
