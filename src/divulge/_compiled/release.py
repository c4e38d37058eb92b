"""Decisions to release a record, and what chance shows in releases, by compiled loops."""

from __future__ import annotations

from collections.abc import Sequence
from ctypes import Structure, addressof, byref, c_char, c_int64, c_void_p
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from divulge._compiled.library import address, function, within

Array = npt.NDArray[Any]
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


def _given(memory: Array, shape: tuple[int, int], limits: LimitTables) -> tuple[Any, ...]:
    """What every decision takes: the memory of what is outside, its domain and the limits."""
    values, targets = shape
    numbers = values + 4 + (PRIORS + 1 if limits.tests & _SEQ else 0)
    if limits.shape != shape or memory.size != numbers * targets or memory.dtype != np.int64:
        raise ValueError("a loop was given counts of another domain than its limits")
    return byref(c_char.from_buffer(memory.data)), values, targets, byref(limits)


def _counted(found: int) -> int:
    if found == -2:
        raise MemoryError("there is no memory for the bins of a chi-square test")
    return found


def ask(
    what: int,
    memory: Array,
    shape: tuple[int, int],
    limits: LimitTables,
    x: int = 0,
    y: int = 0,
    number: int = 0,
) -> int:
    """One question about what is outside, or one change of it; ``safe_release/kernels.py`` says which."""
    if not (0 <= x < shape[0] and 0 <= y < shape[1]):
        raise IndexError(f"there is no cell {x}, {y} among {shape[0]} values and {shape[1]} targets")
    given = _given(memory, shape, limits)
    return _counted(function("release_ask", "ipiipiii", "i")(what, *given, x, y, number))


@dataclass(frozen=True)
class DependencyArrays:
    """One of the dependencies that records are held to, as loops take it."""

    memory: Array
    shape: tuple[int, int]
    limits: LimitTables
    cells: Array | None  # of each kind of record; none where kinds are cells
    blocked: Array  # cells


def _together(all_of: Sequence[DependencyArrays], kinds: int) -> tuple[list[Any], tuple[Array, ...]]:
    """What a loop over several dependencies takes, and arrays that have to live as long as it runs."""
    shapes = np.array([one.shape for one in all_of], np.int64).ravel()
    memories, tables, cells, blocked = [], [], [], []
    for one in all_of:
        _given(one.memory, one.shape, one.limits)
        size = one.shape[0] * one.shape[1]
        memories.append(address(one.memory, np.int64, one.memory.size, write=True))
        tables.append(addressof(one.limits))
        blocked.append(address(one.blocked, np.bool_, size, write=True))
        cells.append(0)
        if one.cells is not None:
            within(one.cells, size)
            cells[-1] = address(one.cells, np.int64, kinds)
        elif kinds != size:
            raise ValueError("a loop was given kinds of records that are not its cells")
    held = [np.array(one, np.uintp) for one in (memories, tables, cells, blocked)]
    first, *others = (one.ctypes.data for one in held)
    return [len(all_of), first, shapes.ctypes.data, *others], (*held, shapes)


def first_to_leave(all_of: Sequence[DependencyArrays], heads: Array) -> int:
    """The kind of record that came first among those that may leave; -1 for none."""
    given, held = _together(all_of, heads.size)
    waiting = address(heads, np.int64, heads.size)
    found = function("release_first_to_leave", "ippppppi", "i")(*given, waiting, heads.size)
    del held
    return _counted(found)


def run(all_of: Sequence[DependencyArrays], asked: Array, kinds: int) -> Array:
    """The numbers of those let out, in order, of requests for records of some kinds."""
    within(asked, kinds)
    requests = len(asked)
    heads, last, after = np.full(kinds, NEVER), np.full(kinds, -1), np.full(requests, -1)
    out = np.empty(requests, np.int64)
    given, held = _together(all_of, kinds)
    lines = heads.ctypes.data, last.ctypes.data, kinds, after.ctypes.data, out.ctypes.data
    called = function("release_run", "ipppppp" + "ippipp", "i")
    released = _counted(called(*given, address(asked, np.int64, requests), requests, *lines))
    del held
    return out[:released]


def surprises(
    bits: Array,
    values: tuple[Array, Array],
    targets: tuple[Array, Array],
    sizes: Array,
    weights: Array,
    first: int,
    seed: int,
    found: Array,
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
