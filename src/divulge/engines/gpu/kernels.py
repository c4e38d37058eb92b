"""The loops of our own that run on a card, each beside what NumPy does where there is none."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from divulge.counting.statistics import xlog2x
from divulge.engines.gpu.arrays import Arrays, OnCard, fetched, is_card
from divulge.engines.gpu.cuda_source import (
    BOUNDS_SOURCE,
    JOIN_SOURCE,
    MOVE_SOURCE,
    NODES_SOURCE,
    SMALL_SOURCE,
    SUMS_SOURCE,
    TARGET_SOURCE,
)

SMALL = 512  # records of a class below which classes are counted by their size
THREADS, BLOCKS = 256, 1056
FIELDS = 7  # of which all subsets are counted at once
MOST_ALIKE = SMALL - 1  # records of a class up to which its rows are compared one by one


class FieldMove(NamedTuple):
    """Some bits of a word and where they go: how far up they are, how many, and how far up they will be."""

    origin: int
    bits: int
    up: int


_NAMES = {4: "unsigned int", 8: "unsigned long long"}


@cache
def _kernel(xp: Arrays, source: str, name: str, word: int, out: int = 8) -> Any:
    names = {"word": _NAMES[word], "out": _NAMES[out], "small": SMALL}
    text = source % names if "%(" in source else source
    return xp.RawKernel(text, name)


def joined(xp: Arrays, words: OnCard, used: bool, fields: Sequence[tuple[OnCard, int]]) -> OnCard:
    """Words, if they hold something, with columns of so many bits below it, one after the other."""
    if not is_card(xp):
        found = words.copy()
        for codes, wide in fields:
            found = (found << np.uint64(wide) if wide < 64 else found * np.uint64(0)) | codes.astype(
                np.uint64
            )
        return found
    columns = [xp.ascontiguousarray(codes) for codes, _ in fields]
    places = xp.asarray(np.array([one.data.ptr for one in columns], np.uint64))
    about = np.array([[one.dtype.itemsize for one in columns], [wide for _, wide in fields]], np.int32)
    out = xp.empty(len(words), np.uint64)
    blocks = min(BLOCKS, -(-len(words) // THREADS))
    rows, many = np.int64(len(words)), np.int32(len(fields))
    arguments = (words, np.int32(used), rows, many, places, *xp.asarray(about), out)
    _kernel(xp, JOIN_SOURCE, "join", 8)((blocks,), (THREADS,), arguments)
    return out


def moved(xp: Arrays, words: OnCard, fields: Sequence[FieldMove], times: OnCard | None, below: int) -> OnCard:
    """Words made of some bits of others, with ``times`` in so many bits below them; narrow where they fit."""
    wide = max((field.up + field.bits for field in fields), default=0) + below
    kind = np.uint32 if wide < 32 else np.uint64
    if not is_card(xp):
        found = np.zeros(len(words), np.uint64)
        for origin, bits, up in fields:
            mask = np.uint64((1 << bits) - 1)
            found |= ((words.astype(np.uint64) >> np.uint64(origin)) & mask) << np.uint64(up)
        if times is not None and below:
            found = found << np.uint64(below) | times.astype(np.uint64)
        return found.astype(kind)
    out = xp.empty(len(words), kind)
    numbers = xp.asarray(np.array(fields, np.int32).reshape(-1, 3).T.copy())
    given = words if times is None else times  # not read where nothing stands below
    kernel = _kernel(xp, MOVE_SOURCE, "move", words.dtype.itemsize, out.dtype.itemsize)
    blocks = min(BLOCKS, -(-len(words) // THREADS))
    below_by = np.int32(below)
    arguments = (words, given, np.int64(len(words)), np.int32(len(fields)), *numbers, below_by, out)
    kernel((blocks,), (THREADS,), arguments)
    return out


def prefix_sums(
    xp: Arrays, words: OnCard, before: OnCard | None, shifts: Sequence[int], scale: float
) -> OnCard:
    """Of sorted words, for each number of bits that are left away below: classes by size, and large ones.

    A row for each: how many classes are large, how many have 1, 2, ... records, the sum of n log2 n of large
    ones times the scale, and the smallest of these. Whole numbers throughout, so that no order of adding up
    changes them.
    ``before`` says how many records stand before each word, one more at the end; None: one for each.
    """
    if not is_card(xp):
        return np.stack([_plain_sums(words, before, shift, scale) for shift in shifts])
    out = xp.zeros((len(shifts), SMALL + 2), xp.uint64)
    out[:, -1] = xp.uint64(np.iinfo(np.int64).max)
    kernel = _kernel(xp, SUMS_SOURCE, "prefix_sums", words.dtype.itemsize)
    given = np.intp(0) if before is None else before
    down = xp.asarray(np.array(shifts, np.int32))
    blocks = min(BLOCKS, -(-len(words) // THREADS))
    arguments = (words, given, np.int64(len(words)), np.int32(len(shifts)), down, np.float64(scale), out)
    kernel((blocks,), (THREADS,), arguments, shared_mem=4 * SMALL * len(shifts))
    return out


def _plain_sums(words: Any, before: Any | None, shift: int, scale: float) -> Any:
    prefix = words >> words.dtype.type(shift)
    ends = np.flatnonzero(np.append(prefix[1:] != prefix[:-1], True)) + 1
    sizes = np.diff(ends if before is None else before[ends], prepend=0)
    large = sizes[sizes >= SMALL]
    row = np.zeros(SMALL + 2, np.uint64)
    row[:SMALL] = np.bincount(sizes[sizes < SMALL], minlength=SMALL)
    row[0] = len(large)
    row[SMALL] = np.rint(large * np.log2(large) * scale).astype(np.uint64).sum()
    row[-1] = large.min(initial=np.iinfo(np.int64).max)
    return row


def small_classes(
    xp: Arrays, words: OnCard, times: OnCard | None, starts: OnCard, rest: int, masks: Sequence[int]
) -> OnCard:
    """Of rows in small classes, by every subset of some fields: how many records are in groups of each size.

    Words have the class above ``rest`` bits, rows of a class stand together, and ``starts`` says where. A
    group is what is alike within a class on the fields of a subset: field f if bit f is set.
    """
    masks = [*masks, *[0] * (FIELDS - len(masks))]
    if not is_card(xp):
        return np.stack([_plain_groups(words, times, rest, masks, subset) for subset in range(1 << FIELDS)])
    out = xp.zeros((1 << FIELDS, MOST_ALIKE + 1), np.uint64)
    given = words if times is None else times
    fields = xp.asarray(np.array(masks, np.uint64))
    repeated, rows = np.int32(times is not None), np.int64(len(words))
    arguments = (words, given, repeated, rows, np.int32(rest), starts, fields, out)
    _kernel(xp, SMALL_SOURCE, "small_classes", 8)((min(BLOCKS, -(-len(words) // 128)),), (128,), arguments)
    return out


def _plain_groups(words: Any, times: Any | None, rest: int, masks: Sequence[int], subset: int) -> Any:
    mask = sum(one for field, one in enumerate(masks) if subset >> field & 1)
    group = words & np.uint64(((1 << 64) - (1 << rest)) | mask)
    _, place = np.unique(group, return_inverse=True)
    sizes = np.bincount(place, weights=times).astype(np.int64)
    return np.bincount(sizes, weights=sizes, minlength=MOST_ALIKE + 1).astype(np.uint64)


# -- classes at many combinations of levels ------------------------------------------------------------

LARGEST = np.iinfo(np.int64).max
SPREAD = 1024  # blocks that share the classes of few combinations


class ClassBound(NamedTuple):
    """A bound on a number of each class; ``_compiled/generalization.c`` has the list of kinds."""

    kind: int
    bound: float


_DISTINCT, _ENTROPY_VALUES, _ENTROPY_RISK, _TOP_SHARE, _ERROR = 2, 3, 4, 6, 7
_EQUAL, _DISCLOSURE, _GAIN, _ENHANCED_GAIN, _DIVERGENCE = 8, 11, 12, 13, 14
#: Those that are found on the card; the others take an order or a tree of values.
KINDS_ON_CARD = {
    *(_DISTINCT, _ENTROPY_VALUES, _ENTROPY_RISK, _TOP_SHARE, _ERROR),
    *(_EQUAL, _DISCLOSURE, _GAIN, _ENHANCED_GAIN, _DIVERGENCE),
}


def beyond_bounds(
    xp: Arrays,
    classes: OnCard,
    value: OnCard,
    times: OnCard,
    sizes: OnCard,
    share: Any,
    bounds: Sequence[ClassBound],
    bad: OnCard,
) -> None:
    """Mark the classes that are beyond a bound; their cells are between ``classes`` and the next."""
    if not bounds:
        return
    occurring = int(np.count_nonzero(share))
    if not is_card(xp):
        for one in bounds:
            bad |= _plain_beyond(one, classes, value, times, sizes, share, occurring)
        return
    kinds = xp.asarray(np.array([one.kind for one in bounds], np.int32))
    limits = xp.asarray(np.array([one.bound for one in bounds], np.float64))
    blocks = min(BLOCKS, -(-len(sizes) // THREADS))
    arguments = (classes, value, times, sizes, np.int64(len(sizes)), xp.asarray(share), np.int64(occurring))
    kernel = _kernel(xp, BOUNDS_SOURCE, "beyond_bounds", 8)
    kernel((blocks,), (THREADS,), (*arguments, np.int32(len(bounds)), kinds, limits, bad))


def _plain_beyond(
    one: ClassBound, classes: Any, value: Any, times: Any, sizes: Any, share: Any, occurring: int
) -> Any:
    first, cells = classes[:-1], np.diff(classes)
    owner = np.repeat(np.arange(len(sizes)), cells)
    part, whole = times / sizes[owner], share[value]
    kind, bound = one
    if kind == _DISTINCT:
        return cells < bound
    if kind in (_ENTROPY_VALUES, _ENTROPY_RISK):
        inside = np.maximum(xlog2x(sizes) - np.add.reduceat(xlog2x(times), first), 0.0) / sizes
        inside = np.where(cells == 1, 0.0, inside)
        return np.exp2(inside) < bound if kind == _ENTROPY_VALUES else np.exp2(-inside) > bound
    if kind in (_TOP_SHARE, _ERROR):
        top = np.maximum.reduceat(times, first) / sizes
        return top > bound if kind == _TOP_SHARE else 1 - top < bound
    if kind == _EQUAL:
        return np.add.reduceat(np.maximum(part - whole, 0.0), first) > bound
    if kind == _DISCLOSURE:
        return (cells < occurring) | (np.maximum.reduceat(np.abs(np.log2(part / whole)), first) > bound)
    if kind == _DIVERGENCE:
        return np.maximum(np.add.reduceat(part * np.log2(part / whole), first), 0.0) > bound
    gain = (part - whole) / whole
    beyond = np.maximum.reduceat(gain, first) > bound
    if kind == _ENHANCED_GAIN:
        beyond |= np.logical_or.reduceat(gain > -np.log(whole), first)
    return beyond


def node_sums(xp: Arrays, edges: OnCard, sizes: OnCard, bad: OnCard, few: int, scale: float) -> OnCard:
    """Of each combination, whose classes are between two edges, a row of whole numbers.

    Classes kept, records suppressed, the smallest class kept, how many are of one record, the records of
    those of fewer than ``few``, the sum of n n, and that of n log2 n times the scale.
    """
    nodes = len(edges) - 1
    if not is_card(xp):
        return np.stack([_plain_node(sizes[a:b], bad[a:b], few, scale) for a, b in pairwise(edges.tolist())])
    out = xp.zeros((nodes, 7), np.uint64)
    out[:, 2] = LARGEST
    arguments = (edges, sizes, bad, np.int64(few), np.float64(scale), out)
    grid = (nodes, max(1, SPREAD // nodes))
    _kernel(xp, NODES_SOURCE, "node_sums", 8)(grid, (THREADS,), arguments)
    return out


def _plain_node(sizes: Any, bad: Any, few: int, scale: float) -> Any:
    kept = sizes[~bad]
    small = [
        len(kept),
        sizes[bad].sum(),
        kept.min(initial=LARGEST),
        (kept == 1).sum(),
        kept[kept < few].sum(),
    ]
    return np.array(
        [*small, (kept * kept).sum(), np.rint(xlog2x(kept) * scale).astype(np.int64).sum()], np.uint64
    )


def target_sums(
    xp: Arrays, edges: OnCard, classes: OnCard, times: OnCard, sizes: OnCard, bad: OnCard, scale: float
) -> tuple[Any, Any, Any]:
    """Of each combination: what classes leave unknown of a target, the least of it, and the most frequent."""
    nodes = len(edges) - 1
    if not is_card(xp):
        first = classes[:-1]
        most = np.maximum.reduceat(times, first)
        unknown = np.maximum(xlog2x(sizes) - np.add.reduceat(xlog2x(times), first), 0.0)
        unknown[most == sizes] = 0.0
        parts = [(unknown[a:b][~bad[a:b]], most[a:b][~bad[a:b]]) for a, b in pairwise(edges.tolist())]
        sums = [(np.rint(u * scale).sum() / scale, u.min(initial=np.inf), m.sum()) for u, m in parts]
        left, least, top = np.array(sums, np.float64).T
        return left, least, top
    whole = xp.zeros((nodes, 2), np.uint64)
    least = xp.full(nodes, np.inf)
    grid = (nodes, max(1, SPREAD // nodes))
    arguments = (edges, classes, times, sizes, bad, np.float64(scale), whole, least)
    _kernel(xp, TARGET_SOURCE, "target_sums", 8)(grid, (THREADS,), arguments)
    sums = fetched(xp, whole).astype(np.float64)
    return sums[:, 0] / scale, fetched(xp, least), sums[:, 1]
