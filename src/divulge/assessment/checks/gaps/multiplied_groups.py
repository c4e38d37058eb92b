"""Groups that are all a multiple as large: each person may have as many records."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from divulge._support.wording import many
from divulge.assessment.scope import Scope
from divulge.errors import EmptySource, Undefined

Numbers = npt.NDArray[Any]
LARGER = 20  # groups of two multiples or more: by chance, not even every other one is a multiple too
OTHERS = 0.01  # of the groups that may be of another size
MOST = 100  # records in most groups, above which they are not looked at


def multiplied_in_words(scope: Scope) -> Iterator[str]:
    """That nearly all groups are a multiple of some number as large, where no identifier tells people apart.

    Groups that are equally large, as microaggregation makes them, say nothing; nor do a few large ones.
    """
    data = scope.data
    if not scope.keys or data.schema.identifiers or data.times is not None:
        return
    try:
        counts = scope.question(scope.keys).counts
    except (EmptySource, Undefined):
        return
    if counts.overlapping:
        return
    sizes = counts.size
    times = multiple_of(sizes, np.ones_like(sizes) if counts.multiplicity is None else counts.multiplicity)
    if times > 1:
        yield (
            f"Of the {many(counts.classes)} combinations of the quasi-identifiers, all or nearly all occur a "
            f"multiple of {many(times)} times, as if each person had {many(times)} records. If so, groups "
            "have fewer people than records, and sizes of groups and unique people are not what they seem. "
            "Give the identifier of people, or a table with one row for each."
        )


def multiple_of(sizes: Numbers, often: Numbers) -> int:
    """The number that divides nearly all sizes, beyond chance; 1 where there is none.

    >>> multiple_of(np.asarray([6, 12, 18]), np.asarray([90, 30, 5]))
    6
    >>> multiple_of(np.asarray([6, 12, 7]), np.asarray([90, 30, 5]))
    1
    """
    groups = int(often.sum())
    if groups < LARGER:
        return 1
    found, place = np.unique(sizes, return_inverse=True)
    commonest = int(found[np.bincount(place, often).argmax()])
    for times in range(min(MOST, commonest), 1, -1):
        if int(often[sizes % times > 0].sum()) <= OTHERS * groups:
            return times if int(often[sizes > times].sum()) >= LARGER and commonest <= MOST else 1
    return 1
