"""Decisions to release a record, and what chance shows in releases, by compiled loops."""

from __future__ import annotations

from collections.abc import Sequence
from ctypes import Array, Structure, addressof, byref, c_int64, c_void_p
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from divulge._compiled.library import address, function, within

Numbers = npt.NDArray[Any]
NEVER = np.iinfo(np.int64).max  # the arrival of nobody
READ_ALL, PUT, COUNT_EXPOSED, IS_SAFE, MAY_LEAVE, LEAVE = range(6)  # what is asked
PRIORS = 15  # of a likelihood ratio
_GIVEN = ("tests", "small", "degrees", "merging", "present", "form", "counts_known")
_SIZED = ("mutual", "distance", "fits")  # limits by number of records
_NUMBERS = (*_GIVEN, *(f"{name}_length" for name in _SIZED))
_SEQUENTIAL = ("nats", "priors", "wholes", "known", "odds")  # tables of likelihood ratios
_TABLES = ("shares", "bits", *_SIZED, "joint", "by_degrees", "ratios", *_SEQUENTIAL)
_DIXON, _SEQ = 8, 16  # the bits of two tests


class LimitTables(Structure):
    """The limits of all tests for a domain, checked once and held as loops take them."""

    _fields_ = [*((name, c_int64) for name in _NUMBERS), *((name, c_void_p) for name in _TABLES)]

    @classmethod
    def of(cls, limits: Any, shape: tuple[int, int]) -> LimitTables:
        """The fields of the same names, for so many values and targets."""
        values, targets = shape
        least = {"shares": values, "bits": values, "by_degrees": max(values, limits.degrees + 1)}
        least["joint"] = (values - 1) * targets + 1 if limits.present else 1
        least["ratios"] = targets + 1 if limits.tests & _DIXON else 0
        if limits.tests & _SEQ:
            least |= {"nats": values, "priors": values * PRIORS, "wholes": PRIORS, "odds": 1}
            least["known"] = values + 1 if limits.counts_known else 0
        tables = {name: getattr(limits, name) for name in _TABLES}
        if limits.degrees < 0 or any(len(tables[name]) < length for name, length in least.items()):
            raise ValueError("a loop was given limits that do not reach over its domain")
        numbers = [int(getattr(limits, name)) for name in _GIVEN]
        lengths = [len(tables[name]) for name in _SIZED]
        found = cls(*numbers, *lengths, *(address(one, np.float64, len(one)) for one in tables.values()))
        found.shape, found.held = shape, tables
        return found


def place(memory: Numbers) -> int:
    """Where what is outside begins. It stays there as long as its array."""
    return address(memory, np.int64, memory.size, write=True)


def _counts(memory: Numbers, shape: tuple[int, int], limits: LimitTables, known: int | None = None) -> int:
    """Where what is outside begins, if it is of the domain of the limits."""
    numbers = shape[0] + 4 + (PRIORS + 1 if limits.tests & _SEQ else 0)
    if limits.shape != shape or memory.size != numbers * shape[1]:
        raise ValueError("a loop was given counts of another domain than its limits")
    return place(memory) if known is None else known


def _counted(found: int) -> int:
    if found == -2:
        raise MemoryError("there is no memory for the bins of a chi-square test")
    return found


def ask(
    what: int,
    memory: Numbers,
    shape: tuple[int, int],
    limits: LimitTables,
    x: int = 0,
    y: int = 0,
    number: int = 0,
    *,
    place: int | None = None,
) -> int:
    """One question about what is outside, or one change of it; ``safe_release/kernels.py`` says which.

    ``place`` is where it begins, if that is known.
    """
    if not (0 <= x < shape[0] and 0 <= y < shape[1]):
        raise IndexError(f"there is no cell {x}, {y} among {shape[0]} values and {shape[1]} targets")
    counts = _counts(memory, shape, limits, place)
    called = function("release_ask", "ipiipiii", "i")
    return _counted(called(what, counts, *shape, byref(limits), x, y, number))


@dataclass(eq=False, slots=True)
class DependencyArrays:
    """One of the dependencies that records are held to, as loops take it."""

    memory: Numbers
    shape: tuple[int, int]
    limits: LimitTables
    cells: Numbers | None  # of each kind of record; none where kinds are cells
    blocked: Numbers  # cells


def _given(all_of: Sequence[DependencyArrays], kinds: int) -> Array[c_int64]:
    """Dependencies as loops take them; lives as long as a loop runs."""
    numbers: list[int] = []
    for one in all_of:
        (values, targets), cells = one.shape, 0
        if one.cells is not None:
            within(one.cells, values * targets)
            cells = address(one.cells, np.int64, kinds)
        elif kinds != values * targets:
            raise ValueError("a loop was given kinds of records that are not its cells")
        blocked = address(one.blocked, np.bool_, values * targets, write=True)
        counts = _counts(one.memory, one.shape, one.limits)
        numbers += (counts, values, targets, addressof(one.limits), cells, blocked)
    return (c_int64 * len(numbers))(*numbers)


def first_to_leave(all_of: Sequence[DependencyArrays], heads: Numbers) -> int:
    """The kind of record that came first among those that may leave; -1 for none."""
    given, waiting = _given(all_of, heads.size), address(heads, np.int64, heads.size)
    called = function("release_first_to_leave", "ippi", "i")
    return _counted(called(len(all_of), byref(given), waiting, heads.size))


def run(all_of: Sequence[DependencyArrays], asked: Numbers, kinds: int) -> Numbers:
    """The numbers of those let out, in order, of requests for records of some kinds."""
    within(asked, kinds)
    requests = len(asked)
    heads, last, after = np.full(kinds, NEVER), np.full(kinds, -1), np.full(requests, -1)
    out = np.empty(requests, np.int64)
    given = _given(all_of, kinds)
    lines = heads.ctypes.data, last.ctypes.data, kinds, after.ctypes.data, out.ctypes.data
    called = function("release_run", "ippi" + "ppipp", "i")
    asked_for = address(asked, np.int64, requests)
    return out[: _counted(called(len(all_of), byref(given), asked_for, requests, *lines))]


def surprises(
    bits: Numbers,
    values: tuple[Numbers, Numbers],
    targets: tuple[Numbers, Numbers],
    sizes: Numbers,
    weights: Numbers,
    first: int,
    seed: int,
    found: Numbers,
) -> None:
    """Write what is seen in releases made up of chance alone, for rows from the first on.

    Values and targets are their cumulative shares, and a guide to them at even steps.
    """
    rows = len(found)
    for shares, guide in (values, targets):
        within(guide, len(shares))
    if (np.diff(sizes) < 1).any() or sizes[0] < 1 or len(weights) < int(sizes[-1]) + 2:
        raise ValueError("a loop was given sizes that do not ascend, or too few weights")
    counts = np.zeros(len(values[0]) * len(targets[0]), np.int64)
    totals = np.zeros(len(targets[0]), np.int64)
    parts = [
        (
            address(shares, np.float64, len(shares)),
            len(shares),
            address(guide, np.int64, len(guide)),
            len(guide),
        )
        for shares, guide in (values, targets)
    ]
    function("sampling_surprises", "p" + "pipi" + "pipi" + "ppiii" + "pppi")(
        address(bits, np.float64, len(values[0])),
        *parts[0],
        *parts[1],
        address(weights, np.float64, len(weights)),
        *(address(sizes, np.int64, len(sizes)), len(sizes), first, seed),
        *(counts.ctypes.data, totals.ctypes.data),
        *(address(found, np.float64, rows * len(sizes), write=True), rows),
    )
