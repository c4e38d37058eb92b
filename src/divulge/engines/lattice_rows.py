"""Rows as packed words, those alike on everything held once: what a search of subsets goes through."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from divulge.codes import Codes
from divulge.counts import Floats, Integers
from divulge.engines.sparse import BLOCK, WORD_BITS
from divulge.threads import cores, run, shares

TAIL, TAIL_BITS = 4, 15  # the most attributes counted together, and their bits with the target's
APART = 99  # more bits than a word has
LOGS = 1 << 14

Words = npt.NDArray[np.uint64]


class Table(NamedTuple):
    """Different rows: attributes of most values come first and stand highest, the target lowest of all."""

    words: Words  # by row; the last word is the lowest
    word: Integers  # of each attribute: which word holds it, how far up, and its bits
    shift: Words
    mask: Words
    below: Integers  # bits of the last word from each attribute down, none above it; at the end the target's
    target_bits: int
    tail: int  # last attributes, counted together
    differ: Integers  # which of them differ, by the bits of two rows that do
    logs: Floats  # log2 of small numbers, 0 of 0
    times: Integers  # records each row stands for
    order: Integers  # the attributes' places among those given

    @property
    def attributes(self) -> int:
        return len(self.order)

    @property
    def apart(self) -> int:
        """The first attributes, which the last word does not hold."""
        return int((self.below == APART).sum())

    def codes(self, attribute: int) -> Integers:
        """An attribute of every row, as numbers from 0 on."""
        codes = (self.words[:, self.word[attribute]] >> self.shift[attribute]) & self.mask[attribute]
        return codes.astype(np.int32)

    @property
    def target(self) -> Integers:
        return (self.words[:, -1] & np.uint64((1 << self.target_bits) - 1)).astype(np.int64)


def tabulate(columns: Sequence[Codes], target: Codes | None, times: Integers | None) -> Table:
    """Pack the attributes, and the target if there is one, and hold rows that are alike once."""
    used = [np.flatnonzero(np.bincount(column.codes)) for column in columns]
    order = sorted(range(len(columns)), key=lambda place: -len(used[place]))
    bits = [(len(used[place]) - 1).bit_length() for place in order]
    target_codes = None if target is None else np.flatnonzero(np.bincount(target.codes))
    target_bits = 0 if target_codes is None else (len(target_codes) - 1).bit_length()
    word, shift, at, end = [0] * len(order), [0] * len(order), 0, target_bits
    for place in reversed(range(len(order))):
        if end + bits[place] > WORD_BITS:
            at, end = at + 1, 0
        word[place], shift[place] = at, end
        end += bits[place]
    fields = [
        (at - word[place], columns[which].codes, used[which], shift[place])
        for place, which in enumerate(order)
    ]
    if target is not None and target_codes is not None:
        fields.append((at, target.codes, target_codes, 0))
    words, times = _distinct(_pack(fields, at + 1), times)
    below = [up + wide if w == 0 else APART for w, up, wide in zip(word, shift, bits, strict=True)]
    below.append(target_bits)
    tail = sum(wide <= TAIL_BITS for wide in below[-1 - min(TAIL, len(order)) : -1])
    return Table(
        words,
        at - np.array(word),
        np.array(shift, np.uint64),
        np.array([(1 << wide) - 1 for wide in bits], np.uint64),
        np.array(below),
        target_bits,
        tail,
        _differ(bits[len(bits) - tail :]),
        np.log2(np.maximum(np.arange(LOGS), 1)),
        times,
        np.array(order),
    )


def _differ(bits: Sequence[int]) -> Integers:
    """For every difference of packed fields, those that are not 0: bit 0 stands for the last."""
    differ, up = np.zeros(1 << sum(bits), np.int64), 0
    for place, wide in enumerate(reversed(bits)):
        field = (np.arange(len(differ)) >> up) & ((1 << wide) - 1)
        differ |= (field > 0).astype(np.int64) << place
        up += wide
    return differ


def _pack(fields: Sequence[tuple[int, npt.NDArray[Any], Integers, int]], width: int) -> Words:
    """Words by row, from the word, codes, codes that occur and shift of each field."""
    records = len(fields[0][1])
    words = np.zeros((records, width), np.uint64)
    tables = []
    for _, _, used, shift in fields:
        table = np.zeros(used[-1] + 1, np.uint64)
        table[used] = np.arange(len(used), dtype=np.uint64) << np.uint64(shift)
        tables.append(table)

    def work(part: slice) -> None:
        for first in range(part.start, part.stop, BLOCK):
            block = slice(first, min(first + BLOCK, part.stop))
            for (word, codes, _, _), table in zip(fields, tables, strict=True):
                words[block, word] |= table[codes[block]]

    run(work, shares(records, min(cores(), 1 + records // BLOCK)))
    return words


def _distinct(words: Words, times: Integers | None) -> tuple[Words, Integers]:
    """The different rows in sorted order, and how many records each stands for."""
    if words.shape[1] == 1 and times is None:
        words = np.sort(words, axis=0)
    else:
        order = np.lexsort(words.T)
        words, times = words[order], None if times is None else times[order]
    first = np.flatnonzero(np.append(True, (words[1:] != words[:-1]).any(axis=1)))
    records = len(words) if times is None else int(times.sum())
    often = np.diff(first, append=len(words)) if times is None else np.add.reduceat(times, first)
    return words[first], often.astype(np.int32 if records < 1 << 31 else np.int64)
