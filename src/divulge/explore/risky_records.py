"""The records at most risk, why, and which single change protects each; values stay masked."""

from __future__ import annotations

from typing import Any

import numpy as np

from divulge._support.small_counts import hidden_part
from divulge.explore.choosing.choices import Choices
from divulge.explore.choosing.reading_options import MASK
from divulge.explore.groups import KnownGroups
from divulge.explore.scene import Scene
from divulge.table.codes import Codes
from divulge.uniques.minimal_uniques import minimal_uniques

MOST_RECORDS = 20
LARGEST = 3  # attributes in a set that makes a record unique


def risky_records(scene: Scene, choices: Choices, *, unlocked: bool) -> list[dict[str, Any]]:
    """The records in the smallest groups, before any is suppressed: row, reasons, and what would help."""
    table, levels = scene.table, scene.levels(choices.levels)
    of_record = _people(scene, levels)[table.class_of]
    rows = np.argsort(of_record, kind="stable")[:MOST_RECORDS]
    least = choices.least
    columns = {one.name: one for one in table.attributes}
    places = {one.name: place for place, one in enumerate(table.attributes)}
    codes = [
        Codes.of(
            columns[name].groups[levels[places[name]]][columns[name].place[columns[name].codes]].tolist()
        )
        for name in table.named
    ]
    found = minimal_uniques(codes, min(LARGEST, len(codes)))
    helping = _after_one_level(scene, levels)
    data = scene.data
    return [
        {
            "row": row + 1,
            "group": hidden_part(int(of_record[row]), None),
            "unique_by": [[table.named[one] for one in chosen] for chosen in found.of(row)[:3]],
            "protected_by": [
                name for name, groups in helping.items() if int(groups[table.class_of[row]]) >= least
            ],
            "values": {name: _shown(data, name, row) if unlocked else MASK for name in table.named},
        }
        for row in rows.tolist()
        if of_record[row] < max(least, 2)
    ]


def _people(scene: Scene, levels: tuple[int, ...]) -> Any:
    """How many people are in the group of each combination of original values."""
    groups = KnownGroups(scene, levels, scene.table.named, suppressing=False)
    return groups.people[groups.owner]


def _after_one_level(scene: Scene, levels: tuple[int, ...]) -> dict[str, Any]:
    """The same if one attribute went one level up."""
    table = scene.table
    found = {
        one.name: _people(scene, (*levels[:place], levels[place] + 1, *levels[place + 1 :]))
        for place, one in enumerate(table.attributes)
        if levels[place] < one.height
    }
    return {name: found[name] for name in table.named if name in found}


def _shown(data: Any, name: str, row: int) -> str:
    [value] = data.column(name).values_of(data.column(name).codes[row : row + 1])
    return "" if value is None else str(value)
