"""How far distributions have moved: of each attribute, and of each two together."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from divulge.alignment.tables import Alignment
from divulge.errors import Undefined
from divulge.table.packing import packed
from divulge.utility.drawn_shares import DrawnShare, drawn_shares
from divulge.utility.numbering import Floats
from divulge.utility.recoding import recoded
from divulge.utility.values import Paired, attributes_of, whole

LARGEST_TABLE = 1 << 22  # cells beyond which attributes are not taken together: most would hold nobody


@dataclass(frozen=True)
class DistributionDistance:
    """Distances between the original's and the release's distribution: all 0 if nothing changed, at most 1.

    The earth mover's distance is None where values have no order, and for two attributes together. Where the
    release has groups of values, distances are those of the original put into these groups, and
    ``recoding_loss`` is what that alone loses, in bits; ``recoding_share`` the same as a share of the entropy
    of the original. Both are None where nothing was recoded, and for two attributes together. All is None
    where ``undefined`` says why. ``shares`` are both distributions as they may be drawn, of one attribute.
    """

    attributes: tuple[str, ...]
    total_variation: float | None
    jensen_shannon: float | None
    hellinger: float | None
    earth_mover: float | None = None
    recoding_loss: float | None = None
    recoding_share: float | None = None
    undefined: str | None = None
    shares: tuple[DrawnShare, ...] = ()


def distribution_distances(
    alignment: Alignment, *, pairs: bool = True, show_values: bool = False
) -> list[DistributionDistance]:
    """Distances for each attribute and, by default, each pair; records need not be aligned.

    The original is put into the groups of the release first. A value that only one of the tables has after
    that counts fully: where they share none, distances are 1. Shares name values only where these are shown.

    >>> from divulge import read
    >>> from divulge.alignment.tables import align
    >>> one, other = read({"sex": ["f", "f", "m", "m"]}), read({"sex": ["f", "m", "m", "m"]})
    >>> [distance.total_variation for distance in distribution_distances(align(one, other))]
    [0.25]
    """
    alone, columns = list[DistributionDistance](), list[Paired]()
    for name in attributes_of(alignment):
        released = whole(alignment, name)
        try:
            column, recoding = recoded(released)
        except Undefined as undefined:
            alone.append(DistributionDistance((name,), None, None, None, undefined=undefined.message))
            continue
        columns.append(column)
        found = replace(
            _distance([column], _earth_mover(column, alignment)),
            shares=drawn_shares(column, released, show_values=show_values),
        )
        if recoding is not None:
            share = recoding.share_of_entropy
            found = replace(found, recoding_loss=recoding.entropy_loss, recoding_share=share)
        alone.append(found)
    return alone + ([_distance(two) for two in taken_together(columns, 2)] if pairs else [])


def _distance(columns: Sequence[Paired], earth_mover: float | None = None) -> DistributionDistance:
    p, q = shares(columns)
    middle = (p + q) / 2  # from which both diverge by as many bits as Jensen and Shannon take the mean of
    jensen_shannon = (_divergence(p, middle) + _divergence(q, middle)) / 2
    hellinger = math.sqrt(((np.sqrt(p) - np.sqrt(q)) ** 2).sum() / 2)
    names = tuple(one.attribute for one in columns)
    return DistributionDistance(
        names, total_variation(p, q), min(max(jensen_shannon, 0.0), 1.0), min(hellinger, 1.0), earth_mover
    )


def taken_together(columns: Sequence[Paired], size: int) -> Iterator[tuple[Paired, ...]]:
    """So many attributes at a time, except where their table would be too large."""
    for chosen in combinations(columns, size):
        if size == 1 or math.prod(column.cardinality for column in chosen) <= LARGEST_TABLE:
            yield chosen


def shares(columns: Sequence[Paired]) -> tuple[Floats, Floats]:
    """Shares in the original and in the release, over the combinations that occur in either."""
    records = len(columns[0].original.codes)
    words = packed(((column.both, column.cardinality) for column in columns), len(columns[0].both))
    bound = math.prod(column.cardinality for column in columns)
    ours, theirs = (np.bincount(side, minlength=bound) for side in (words[:records], words[records:]))
    there = np.flatnonzero(ours + theirs)
    return ours[there] / records, theirs[there] / (len(words) - records)


def total_variation(p: Floats, q: Floats) -> float:
    """Half the sum of absolute differences."""
    return min(float(np.abs(p - q).sum()) / 2, 1.0)


def _divergence(p: Floats, q: Floats) -> float:
    """How much p surprises who expects q, in bits."""
    there = p > 0
    return float((p[there] * np.log2(p[there] / q[there])).sum())


def _earth_mover(pair: Paired, alignment: Alignment) -> float | None:
    """How far records have to be moved on average, as a share of the whole range; gaps left out.

    Numbers lie as far apart as they differ. Other ordered values are a step apart, each from the next.
    """
    declared = alignment.original.orders.get(pair.attribute)
    order = pair.ranks(declared)
    if order is None:
        return None
    ranks, places = order
    numbers = pair.numbers if declared is None else None
    counts = [
        np.bincount(codes.codes, minlength=pair.cardinality)[1:-1] for codes in (pair.original, pair.released)
    ]
    if not all(one.any() for one in counts):
        return None
    at = (ranks if numbers is None else numbers)[1:-1]
    line = np.argsort(at)
    reach = at[line[-1]] - at[line[0]] if numbers is not None else places - 1
    below = [np.cumsum(one[line]) / one.sum() for one in counts]
    moved = np.abs(below[0] - below[1])[:-1] @ np.diff(at[line])
    return float(moved / reach) if reach else 0.0
