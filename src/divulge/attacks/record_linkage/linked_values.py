"""What a link tells beyond identity: the sensitive value of the released record nearest to a person."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from divulge.alignment.tables import Alignment
from divulge.api import measure
from divulge.attacks.record_linkage.coordinates import Coordinates
from divulge.attacks.record_linkage.nearest import distinct_points, nearest
from divulge.table.codes import Codes

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


def linked_values(
    alignment: Alignment,
    points: Coordinates,
    sensitive: Sequence[str],
    seed: int,
    people: Integers | slice = slice(None),
) -> list[dict[str, Any]]:
    """What links tell about sensitive attributes: their discrimination rate given the linked value.

    Each original record, or each of some of them, is linked to a released record nearest to it, one of
    several that are alike at random, and the value released there is read.
    """
    if not any(name in alignment.columns for name in sensitive):
        return [_not_released(name) for name in sensitive]
    found = nearest(points.released, points.original[people], points.metric).found
    point = distinct_points(points.released).number
    drawn = np.random.default_rng(seed).random(len(found))
    told = []
    for name in sensitive:
        if name not in alignment.columns:
            told.append(_not_released(name))
            continue
        released = alignment.released.column(alignment.columns[name])
        read_there = released.codes[_one_of_alike(point, released, found, drawn)]
        true = alignment.original.column(name).codes[people]
        table = {"linked": read_there.tolist(), "true": true.tolist()}
        reading = measure(table, "discrimination_rate", keys="linked", target="true", seed=seed)
        told.append(
            {
                "target": name,
                "discrimination_rate": reading.value,
                "chance": reading.chance,
                "undefined": reading.undefined,
            }
        )
    return told


def _not_released(name: str) -> dict[str, Any]:
    return {"target": name, "undefined": "the release does not have it"}


def _one_of_alike(point: Integers, released: Codes, found: Integers, drawn: Floats) -> Integers:
    """For records that were found, one of those at the same point; the order of rows does not matter."""
    rank = np.unique(["", *map(str, released.values)], return_inverse=True)[1]
    order = np.lexsort((rank[released.codes], point))
    start = np.searchsorted(point[order], point[found], "left")
    size = np.searchsorted(point[order], point[found], "right") - start
    return order[start + (drawn * size).astype(np.int64)]
