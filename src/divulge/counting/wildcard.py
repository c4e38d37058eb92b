"""Classes when a missing key matches anything: they overlap, and a record may stand in several."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from divulge.counting.counts import Cells, Integers, JointCounts
from divulge.errors import SchemaError, Undefined
from divulge.table.codes import MISSING, Codes
from divulge.table.packing import coded, combinations, of_matrix, packed

Mask = npt.NDArray[np.bool_]
FEW_KINDS = 32  # kinds of gaps up to which classes are joined kind by kind
AT_ONCE = 1 << 24  # bits of classes that are met together
HELD = 1 << 31  # bits of classes that are remembered for each key
MOST_CLASSES = 1 << 16  # classes with many kinds of gaps that are compared with each other: some seconds
TOO_MANY = "suppressed cells fit too many records to be counted"


def overlap(
    counts: JointCounts,
    keys: Mapping[str, Codes],
    *,
    anything: Mapping[str, Collection[int]] | None = None,
    most: int | None = None,
) -> JointCounts:
    """Each class with the records of every class it could be, as far as the keys it has can tell.

    Matching is not transitive: a record without an age matches those of 20 and of 30, which do not
    match each other. So classes no longer share out the records, and measures that need shares that
    add up have no value on these counts. Where no key is missing, nothing overlaps. ``anything`` has for
    each key the codes that match all others, if not those of missing values; ``most`` bounds the pairs.
    """
    patterns, gaps = _patterns(keys), missing_in(keys, anything)
    if not gaps.any():
        return counts
    if counts.subjects is not None and anything is None:
        raise overlapping_people()
    one, other = compatible(patterns, gaps, most)
    size = np.bincount(one, weights=counts.size[other]).astype(np.int64)
    if counts.cells is None:
        return replace(counts, size=size, own=counts.size, overlapping=True, _statistics={})
    cells = counts.cells
    owner, place = _members(cells.start, one, other)
    values = len(counts.target_values)
    word, inverse = np.unique(owner * values + cells.target[place], return_inverse=True)
    number = np.bincount(inverse, weights=cells.count[place]).astype(np.int64)
    weight = np.bincount(inverse, weights=cells.weight[place]) if counts.weighted else number
    start = np.append(np.flatnonzero(np.diff(word // values, prepend=-1)), len(word))
    return replace(
        counts,
        size=size,
        cells=Cells(start, word % values, number, weight),
        own=counts.size,
        subjects=_people(counts, one, other, start),
        margin=counts.target_weight,
        overlapping=True,
        _statistics={},
    )


def overlapping_people() -> SchemaError:
    """What is said where missing keys match anything and people have several records."""
    return SchemaError(
        "Missing values cannot match anything where people have several records: "
        "who would be counted twice is not known.",
        hint="Treat missing as a value or drop such records.",
    )


def missing_in(keys: Mapping[str, Codes], anything: Mapping[str, Collection[int]] | None = None) -> Mask:
    """Which keys of each class match anything, a row a class; see :func:`overlap`."""
    patterns = _patterns(keys)
    codes = [[MISSING] if anything is None else [*anything.get(key, ())] for key in keys]
    return np.stack([np.isin(patterns[:, i], one) for i, one in enumerate(codes)], axis=1)


def _members(start: Integers, one: Integers, other: Integers) -> tuple[Integers, Integers]:
    """For pairs of classes what the other owns, by place, and the one that it is added to."""
    length = np.diff(start)[other]
    owner = np.repeat(one, length)
    first = np.repeat(start[other] - (np.cumsum(length) - length), length)
    return owner, np.arange(len(owner)) + first


def _people(counts: JointCounts, one: Integers, other: Integers, start: Integers) -> Integers | None:
    """How many people fit each class, each once; None where every record is a person."""
    if counts.subjects is None:
        return None
    if counts.repeated is None:  # the target is the person
        return np.diff(start)
    records = counts.repeated
    many = len(records.records_each)
    whose = np.unique(records.owner * many + records.person)
    begin = np.searchsorted(whose // many, np.arange(len(counts.size) + 1))
    owner, place = _members(begin, one, other)
    return np.bincount(np.unique(owner * many + whose[place] % many) // many, minlength=len(counts.size))


def _patterns(keys: Mapping[str, Codes]) -> npt.NDArray[np.int64]:
    """The key codes of each class, a row a class, in the order in which classes are counted."""
    columns = list(keys.values())
    first = combinations(coded(columns), len(columns[0].codes)).first
    return np.stack([column.codes[first] for column in columns], axis=1).astype(np.int64)


def compatible(
    patterns: npt.NDArray[np.int64], gaps: Mask, most: int | None = None
) -> tuple[Integers, Integers]:
    """All pairs of classes that agree wherever neither has a gap."""
    first, kind = combinations(of_matrix(gaps.astype(np.int64)), len(gaps))
    masks = gaps[first]
    if most is not None and len(masks) > FEW_KINDS and len(patterns) > MOST_CLASSES:
        raise Undefined(TOO_MANY)
    pairs: list[tuple[Integers, Integers]] = []
    found = 0
    for some in _by_kind(patterns, masks, kind) if len(masks) <= FEW_KINDS else _by_bits(patterns, gaps):
        pairs.append(some)
        found += len(some[0])
        if most is not None and found > most:
            raise Undefined(TOO_MANY)
    one = np.concatenate([pair[0] for pair in pairs])
    other = np.concatenate([pair[1] for pair in pairs])
    order = np.argsort(one, kind="stable")
    return one[order], other[order]


def _by_kind(
    patterns: npt.NDArray[np.int64], masks: Mask, kind: Integers
) -> Iterator[tuple[Integers, Integers]]:
    """The pairs, kind of gaps by kind of gaps."""
    for a, gaps_a in enumerate(masks):
        for b, gaps_b in enumerate(masks):
            common = ~(gaps_a | gaps_b)
            yield _join(patterns, np.flatnonzero(kind == a), np.flatnonzero(kind == b), common)


def _by_bits(patterns: npt.NDArray[np.int64], gaps: Mask) -> Iterator[tuple[Integers, Integers]]:
    """The pairs where kinds are many: for each class the others as bits, met key by key."""
    classes = len(patterns)
    columns = [_fits(codes, gap) for codes, gap in zip(patterns.T, gaps.T, strict=True)]
    step = max(1, AT_ONCE // classes)
    for begin in range(0, classes, step):
        bits = np.bitwise_and.reduce([fits(slice(begin, begin + step)) for fits in columns])
        row, byte = np.nonzero(bits)
        which, bit = np.nonzero(np.unpackbits(bits[row, byte][:, None], axis=1))
        yield row[which] + begin, 8 * byte[which] + bit


def _fits(codes: npt.NDArray[np.int64], gap: Mask) -> Callable[[slice], npt.NDArray[np.uint8]]:
    """For some classes all those that one key allows them to be, as bits; remembered where values are few."""
    values, place = np.unique(codes, return_inverse=True)
    if len(values) * len(codes) > HELD:
        return lambda some: np.packbits((codes == codes[some, None]) | gap | gap[some, None], axis=1)
    step = max(1, AT_ONCE // len(codes))
    blocks = [np.arange(begin, min(begin + step, len(values))) for begin in range(0, len(values), step)]
    wide = np.isin(np.arange(len(values)), place[gap])
    bits = np.concatenate(
        [np.packbits((place == one[:, None]) | gap | wide[one, None], axis=1) for one in blocks]
    )  # those beyond the last class are 0
    return lambda some: bits[place[some]]


def _join(
    patterns: npt.NDArray[np.int64], left: Integers, right: Integers, on: npt.NDArray[np.bool_]
) -> tuple[Integers, Integers]:
    """Pairs of a left and a right class with the same codes in the chosen columns."""
    both = np.concatenate([left, right])
    group = packed(of_matrix(patterns[both][:, on]), len(both))
    mine, theirs = group[: len(left)], group[len(left) :]
    order = np.argsort(theirs, kind="stable")
    first = np.searchsorted(theirs[order], mine, side="left")
    length = np.searchsorted(theirs[order], mine, side="right") - first
    place = (
        np.arange(int(length.sum()))
        - np.repeat(np.cumsum(length) - length, length)
        + np.repeat(first, length)
    )
    return np.repeat(left, length), right[order[place]]
