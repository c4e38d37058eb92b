"""How much more of an attribute another column tells than the release does, and which part of it that is."""

from __future__ import annotations

import numpy as np

from divulge.alignment.recognition import IntArray, numbers_of
from divulge.alignment.tables import Alignment
from divulge.attacks.changed_values.correspondence import Floats, in_order, middle_ranks
from divulge.attacks.changed_values.value_pairs import MOSTLY, ValuePairs
from divulge.table.codes import MISSING, Codes
from divulge.table.packing import told_apart

ORDERED = 0.81  # of the variance of ranks that is left, explained: as by a correlation of 0.9
NOTHING = 1e-9
FEWEST = 50  # records beyond one for each group, below which chance may explain it


def tells_more(alignment: Alignment, name: str, new: str) -> bool:
    """Whether a released column explains most of what the release leaves open of an attribute.

    Of people who have the same values in the release, and in the new column, it is counted how unlike their
    original values are. What everyone has of their own explains nothing, however many values there are.
    """
    there = alignment.columns.get(name)
    assert alignment.rows is not None
    ours, theirs = alignment.rows
    original, column = alignment.original.column(name), alignment.released.column(new)
    mine, yours = original.codes[ours].astype(np.int64), column.codes[theirs].astype(np.int64)
    known = None if there is None else alignment.released.column(there)
    group = np.zeros(len(ours), np.int64) if known is None else known.codes[theirs].astype(np.int64)
    finer = told_apart(group * column.cardinality + yours)[1]
    left, still = _unlike(group, mine), _unlike(finer, mine)
    if left is None or still is None or left < NOTHING:
        return False
    if still < (1 - MOSTLY) * left:
        return True
    numbers = in_order(original)
    if numbers is None:
        return False
    ranks = middle_ranks(numbers[mine])
    some = ~np.isnan(ranks)
    before, after = _spread(group[some], ranks[some]), _spread(finer[some], ranks[some])
    return before is not None and after is not None and after < (1 - ORDERED) * before


def said_again(alignment: Alignment, new: str) -> bool:
    """Whether one released attribute with a role decides the column, which then tells nothing new."""
    assert alignment.rows is not None
    _, theirs = alignment.rows
    schema, released = alignment.released.schema, alignment.released
    column = released.column(new)
    pairs = (
        ValuePairs.between(released.column(name), column, theirs, theirs)
        for name in (*schema.quasi_identifiers, *schema.sensitive)
        if name != new
    )
    return any(one is not None and one.follows for one in pairs)


def finer_intervals(alignment: Alignment, name: str, new: str) -> Codes | None:
    """The released numbers of an attribute in the parts that a new column tells; None where these are none.

    Those who have the same values in both are then known to lie between the least and the greatest of them,
    if nobody else does.
    """
    there = alignment.columns.get(name)
    assert alignment.rows is not None
    ours, theirs = alignment.rows
    if there is None or len(theirs) < alignment.released.records:
        return None
    numbers = numbers_of(alignment.original.column(name))
    column, known = alignment.released.column(new), alignment.released.column(there)
    if numbers is None or not np.isfinite(numbers[ours]).all() or (column.codes == MISSING).any():
        return None
    word = known.codes.astype(np.int64) * column.cardinality + column.codes
    _, place = told_apart(word)
    place = place.astype(np.int64)
    least, most = (np.full(int(place.max()) + 1, edge) for edge in (np.inf, -np.inf))
    np.minimum.at(least, place[theirs], numbers[ours])
    np.maximum.at(most, place[theirs], numbers[ours])
    order = np.argsort(least, kind="stable")
    if (most[order][:-1] >= least[order][1:]).any():
        return None
    texts = [_interval(low, high) for low, high in zip(least.tolist(), most.tolist(), strict=True)]
    return Codes.of(np.asarray(texts, object)[place].tolist())


def _interval(low: float, high: float) -> str:
    least, most = (f"{one:.10f}".rstrip("0").rstrip(".") for one in (low, high))
    return least if least == most else f"[{least}, {most}]"


def _unlike(group: IntArray, codes: IntArray) -> float | None:
    """How unlike values within groups are: 0 where all are the same; None where there are too few to say."""
    _, place = told_apart(group)
    cells, times = np.unique(
        place.astype(np.int64) * (int(codes.max(initial=0)) + 1) + codes, return_counts=True
    )
    size = np.bincount(place)
    free = len(codes) - len(size)
    if free < FEWEST:
        return None
    alike = np.bincount(cells // (int(codes.max(initial=0)) + 1), times**2, minlength=len(size)) / size
    return float(len(codes) - alike.sum()) / free


def _spread(group: IntArray, ranks: Floats) -> float | None:
    """The variance of ranks within groups; None where there are too few to say."""
    _, place = told_apart(group)
    size = np.bincount(place)
    free = len(ranks) - len(size)
    if free < FEWEST:
        return None
    mean = np.bincount(place, ranks) / size
    return float(((ranks - mean[place]) ** 2).sum()) / free
