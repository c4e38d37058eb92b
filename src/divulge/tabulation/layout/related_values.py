"""Values that follow from each other: tables of one then say what is left out of tables of another."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from divulge._support.wording import enumerated
from divulge.questions.data import Data
from divulge.tabulation.layout.linked import Numbers

SAME = 1e-9  # of a value's size: what adding up may leave


def related_values(data: Data, values: Sequence[str | None]) -> dict[str | None, str]:
    """For each value that is a sum of others in every record, which; None stands for counts.

    Turnover is cost and profit; a value that everybody has the same of is a count.
    """
    named = [one for one in values if one is not None]
    if len(values) < 2 or (rows := data.at_hand(tuple(named))) is None:
        return {}
    columns: dict[str | None, Numbers] = {one: rows.numbers(one) for one in named}
    whole = ~np.isnan(np.sum(list(columns.values()), axis=0, dtype=np.float64))
    if None in values:
        columns[None] = np.ones(len(whole))
    size = {one: float(np.abs(column[whole]).max(initial=0.0)) for one, column in columns.items()}
    kept = [one for one in values if size[one] > 0]
    if int(whole.sum()) <= len(kept) + 1:
        return {}  # so few records fit any sum
    found: dict[str | None, str] = {}
    for one in kept:
        others = [other for other in kept if other != one]
        if not others:
            continue
        matrix = np.stack([columns[other][whole] / size[other] for other in others], axis=1)
        aim = columns[one][whole] / size[one]
        parts, *_ = np.linalg.lstsq(matrix, aim, rcond=None)
        if float(np.abs(matrix @ parts - aim).max()) <= SAME:
            used = [other for other, part in zip(others, parts, strict=True) if abs(part) > SAME]
            found[one] = enumerated(["counts" if other is None else f"'{other}'" for other in used])
    return found
