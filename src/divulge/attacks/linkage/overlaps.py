"""Linkage where generalisations overlap in many ways: sets of records as bits, met kind by kind."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from divulge.alignment.recognition import Fits, IntArray
from divulge.table.codes import Codes
from divulge.table.packing import Column, coded, distinct, packed

AFFORDABLE = 1 << 33  # bytes to read and meet: some ten seconds
AT_ONCE = 1 << 27  # bytes held for the kinds that are met together

Bits = npt.NDArray[np.uint64]


def affordable(released: Sequence[Codes], rows: IntArray, others: int) -> bool:
    """Whether comparing each kind of record with so many others takes no more than some seconds."""
    kinds = distinct(_columns(released, rows), len(rows))
    values = sum(one.cardinality for one in released)
    return kinds * len(released) * others // 8 + 4 * values * others <= AFFORDABLE


def one_by_one(shared: Sequence[tuple[Codes, Codes, Fits]], rows: IntArray) -> tuple[IntArray, IntArray]:
    """How many records of the other table fit each of some released ones, and how many of these are alike."""
    released = [one for one, _, _ in shared]
    words = packed(_columns(released, rows), len(rows))
    _, first, kind, alike = np.unique(words, return_index=True, return_inverse=True, return_counts=True)
    bits = [_bits(*one) for one in shared]
    fitting = np.zeros(len(first), np.int64)
    step = max(1, AT_ONCE // (8 * bits[0].shape[1]))
    for begin in range(0, len(first), step):
        some = rows[first[begin : begin + step]]
        met = bits[0][released[0].codes[some]]
        for one, column in zip(bits[1:], released[1:], strict=True):
            met &= one[column.codes[some]]
        fitting[begin : begin + step] = np.bitwise_count(met).sum(axis=1)
    return fitting[kind], alike[kind]


def _columns(released: Sequence[Codes], rows: IntArray) -> list[Column]:
    return coded(one.take(rows) for one in released)


def _bits(released: Codes, other: Codes, fits: Fits) -> Bits:
    """For each released code the records of the other table that fit it, a bit for each."""
    width = -(-len(other.codes) // 64)
    bits = np.zeros((released.cardinality, width), np.uint64)
    everyone = {code: np.arange(other.cardinality) for code in fits.anything}
    for code, fitting in {**fits.codes, **everyone}.items():
        fit = np.zeros(other.cardinality, bool)
        fit[fitting] = True
        packed_bits = np.packbits(fit[other.codes])
        bits[code].view(np.uint8)[: len(packed_bits)] = packed_bits
    return bits
