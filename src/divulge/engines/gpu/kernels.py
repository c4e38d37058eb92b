"""The loops of our own that run on a card, each beside what NumPy does where there is none."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from divulge.engines.gpu.arrays import Arrays, OnCard, is_card

SMALL = 512  # records of a class below which classes are counted by their size
THREADS, BLOCKS = 256, 1056


class FieldMove(NamedTuple):
    """Some bits of a word and where they go: how far up they are, how many, and how far up they will be."""

    origin: int
    bits: int
    up: int


_JOIN = r"""
extern "C" __global__ void join(const unsigned long long* words, const int used, const long long n,
                                const int fields, const unsigned long long* columns, const int* sizes,
                                const int* bits, unsigned long long* out) {
    for (long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x; i < n;
         i += (long long)gridDim.x * blockDim.x) {
        unsigned long long word = used ? words[i] : 0;
        for (int f = 0; f < fields; ++f) {
            const void* column = (const void*)columns[f];
            const unsigned long long code = sizes[f] == 1 ? ((const unsigned char*)column)[i]
                : sizes[f] == 2 ? ((const unsigned short*)column)[i]
                : sizes[f] == 4 ? ((const unsigned int*)column)[i]
                : ((const unsigned long long*)column)[i];
            word = (bits[f] < 64 ? word << bits[f] : 0) | code;
        }
        out[i] = word;
    }
}
"""

_MOVE = r"""
extern "C" __global__ void move(const %(word)s* words, const unsigned int* times, const long long n,
                                const int fields, const int* origin, const int* bits, const int* up,
                                const int below, %(out)s* out) {
    for (long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x; i < n;
         i += (long long)gridDim.x * blockDim.x) {
        const unsigned long long word = words[i];
        unsigned long long found = 0;
        for (int f = 0; f < fields; ++f) {
            const unsigned long long mask = bits[f] >= 64 ? ~0ull : (1ull << bits[f]) - 1;
            found |= ((word >> origin[f]) & mask) << up[f];
        }
        out[i] = (%(out)s)(below ? found << below | times[i] : found);
    }
}
"""

# Each thread takes places where a class of some prefix ends, and looks back for where it began: first one
# row, then twice as far each time. Classes of more attributes are shorter, so the search goes on from there.
_SUMS = r"""
extern "C" __global__ void prefix_sums(const %(word)s* words, const long long* before, const long long n,
                                       const int levels, const int* shifts, const double scale,
                                       unsigned long long* out) {
    extern __shared__ unsigned int sizes[];
    for (int i = threadIdx.x; i < levels * %(small)d; i += blockDim.x) sizes[i] = 0;
    __syncthreads();
    for (long long end = 1 + blockIdx.x * (long long)blockDim.x + threadIdx.x; end <= n;
         end += (long long)gridDim.x * blockDim.x) {
        const %(word)s last = words[end - 1];
        const %(word)s differ = end < n ? last ^ words[end] : 0;
        if (end < n && !differ) continue;
        long long first = end - 1;
        for (int level = levels - 1; level >= 0; --level) {
            const int shift = shifts[level];
            if (end < n && !(differ >> shift)) break;
            const %(word)s prefix = last >> shift;
            if (first > 0 && words[first - 1] >> shift == prefix) {
                long long same = first - 1, step = 1;
                while (same >= step && words[same - step] >> shift == prefix) { same -= step; step *= 2; }
                long long other = same >= step ? same - step : -1;
                while (same - other > 1) {
                    const long long middle = (same + other) / 2;
                    if (words[middle] >> shift == prefix) same = middle; else other = middle;
                }
                first = same;
            }
            const long long size = before ? before[end] - before[first] : end - first;
            unsigned long long* row = out + level * (long long)(%(small)d + 2);
            if (size < %(small)d) {
                const unsigned int here = __activemask();
                const unsigned int alike = __match_any_sync(here, (unsigned int)size);
                if ((threadIdx.x & 31) == __ffs(alike) - 1)
                    atomicAdd(&sizes[level * %(small)d + size], __popc(alike));
            } else {
                atomicAdd(row, 1ull);
                atomicAdd(row + %(small)d, (unsigned long long)llrint(size * log2((double)size) * scale));
                atomicMin(row + %(small)d + 1, (unsigned long long)size);
            }
        }
    }
    __syncthreads();
    for (int i = threadIdx.x; i < levels * %(small)d; i += blockDim.x)
        if (sizes[i])
            atomicAdd(out + (i / %(small)d) * (long long)(%(small)d + 2) + i %% %(small)d, sizes[i]);
}
"""
_NAMES = {4: "unsigned int", 8: "unsigned long long"}


@cache
def _kernel(xp: Arrays, source: str, name: str, word: int, out: int = 8) -> Any:
    text = source % {"word": _NAMES[word], "out": _NAMES[out], "small": SMALL}
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
    _kernel(xp, _JOIN, "join", 8)((blocks,), (THREADS,), arguments)
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
    kernel = _kernel(xp, _MOVE, "move", words.dtype.itemsize, out.dtype.itemsize)
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
    kernel = _kernel(xp, _SUMS, "prefix_sums", words.dtype.itemsize)
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
