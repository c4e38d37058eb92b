"""A release in which every record stands several times: one of each is read."""

from __future__ import annotations

import math

import numpy as np

from divulge._support.wording import many
from divulge.alignment.elsewhere import counted_there
from divulge.questions.data import Data
from divulge.table.packing import coded, combinations


def one_of_each(original: Data, released: Data) -> tuple[Data, str | None]:
    """The release without copies of the whole of it, and what is to be said; itself where there are none.

    So it is where there are more records than originals, and each occurs a multiple of the same times.
    """
    most = released.records
    if most <= original.records or counted_there(released) or not released.has_each_record():
        return released, None
    found = combinations(coded(map(released.column, released.schema.attributes)), most).number
    order = np.argsort(found, kind="stable")
    times = np.bincount(found)
    copies = math.gcd(*times[times > 0].tolist())
    if copies < 2 or most // copies > original.records:
        return released, None
    first = np.cumsum(times) - times
    place = np.arange(most) - first[found[order]]
    kept = np.sort(order[place < (times // copies)[found[order]]])
    said = f"Each released record stands {many(copies)} times in the file. One of each is read here."
    return released.taking(kept), said
