"""A two-way table of counts is a joint count: what one of its attributes says of the other."""

from __future__ import annotations

from typing import Any

import numpy as np

from divulge.counting.counts import JointCounts
from divulge.errors import Undefined
from divulge.measures import get
from divulge.tabulation.layout.linked import Numbers, TableLayout

MEASURED = ("discrimination_rate", "itpr")


def joint_readings(layout: TableLayout, counts: Numbers) -> list[dict[str, Any]]:
    """The discrimination rate and ITPR of the inner cells, both ways; a reason where there is no value.

    Cells that are not numbers are not published, so the counts have no rate.
    """
    if len(layout.dimensions) != 2:
        return []
    matrix = counts[layout.inner]
    keys, target = layout.attributes
    found = []
    for key, about, table in ((keys, target, matrix), (target, keys, matrix.T)):
        for name in MEASURED:
            measure = get(name)
            value, reason = None, None
            if np.isnan(table).any() or (table < 0).any():
                reason = "some cells are not published, or below zero"
            else:
                try:
                    value = float(measure.compute(JointCounts.of_table(table)))
                except Undefined as error:
                    reason = error.message
            found.append(
                {
                    "measure": name,
                    "title": measure.title,
                    "table": layout.name,
                    "key": key,
                    "target": about,
                    "value": value,
                    "undefined": reason,
                }
            )
    return found
