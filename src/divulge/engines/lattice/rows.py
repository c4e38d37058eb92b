"""Rows as packed words, those alike on everything held once: what a search of subsets goes through."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from divulge._compiled.lattice import MOST_TAIL, MOST_TARGETS
from divulge._support.threads import cores, run, shares
from divulge.counting.counts import Floats, Integers
from divulge.engines.memory.sparse import WORD_BITS
from divulge.table.codes import Codes

TAIL_BITS = 15  # of the last attributes, counted together with a target's
TARGET_BITS = 20  # of targets that are searched at once
APART = 99  # more bits than a word has
LOGS = 1 << 14
BLOCK = 1 << 14  # rows packed at a time, so that they stay in the cache while fields join

Words = npt.NDArray[np.uint64]


class DistinctRows(NamedTuple):
    """Different rows: attributes of most values come first and stand highest, targets lowest of all."""

    words: Words  # by row; the last word is the lowest
    word: Integers  # of each attribute: which word holds it, how far up, and its bits
    shift: Words
    mask: Words
    below: (
        Integers  # bits of the last word from each attribute down, or APART; at the end those of all targets
    )
    target_shift: Integers
    target_bits: Integers
    tail: int  # last attributes, counted together
    differ: Integers  # which of these two rows differ in, by the difference of their bits
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

    def target(self, which: int) -> Integers:
        """A target of every row, as numbers from 0 on."""
        low, bits = int(self.target_shift[which]), int(self.target_bits[which])
        return ((self.words[:, -1] >> np.uint64(low)) & np.uint64((1 << bits) - 1)).astype(np.int64)


class _Field(NamedTuple):
    """Codes to be packed, and those of them that occur."""

    codes: npt.NDArray[Any]
    used: Integers

    @classmethod
    def of(cls, column: Codes) -> _Field:
        return cls(column.codes, column.used())

    @property
    def bits(self) -> int:
        return (len(self.used) - 1).bit_length()

    def shifted(self, up: int) -> Words:
        """For every code its number among those that occur, so far up."""
        table = np.zeros(self.used[-1] + 1, np.uint64)
        table[self.used] = np.arange(len(self.used), dtype=np.uint64) << np.uint64(up)
        return table


def tabulate(columns: Sequence[Codes], targets: Sequence[Codes], times: Integers | None) -> DistinctRows:
    """Pack the attributes and targets, and hold rows that are alike once."""
    given = [_Field.of(column) for column in columns]
    order = sorted(range(len(given)), key=lambda place: -len(given[place].used))
    fields, subjects = [given[place] for place in order], [_Field.of(target) for target in targets]
    bits, target_bits = ([field.bits for field in some] for some in (fields, subjects))
    target_shift = [sum(target_bits[place + 1 :]) for place in range(len(subjects))]
    up, shift = _places(bits, sum(target_bits))
    word = [max(up) - one for one in up]
    subject_places = zip(subjects, [max(up)] * len(subjects), target_shift, strict=True)
    words, times = _distinct(_pack([*zip(fields, word, shift, strict=True), *subject_places]), times)
    below = [low + wide if one == 0 else APART for one, low, wide in zip(up, shift, bits, strict=True)]
    others = sum(target_bits) - max(target_bits, default=0)
    tail = sum(wide - others <= TAIL_BITS for wide in below[-MOST_TAIL:])
    return DistinctRows(
        words,
        np.array(word),
        np.array(shift, np.uint64),
        np.array([(1 << wide) - 1 for wide in bits], np.uint64),
        np.array([*below, sum(target_bits)]),
        np.array(target_shift, np.int64),
        np.array(target_bits, np.int64),
        tail,
        _differ(bits[len(bits) - tail :]),
        np.log2(np.maximum(np.arange(LOGS), 1)),
        times,
        np.array(order),
    )


def batches(targets: Sequence[Codes]) -> list[list[Codes]]:
    """Targets that are searched at once: few enough, and of bits that leave most of a word to attributes."""
    found, taken = [list[Codes]()], 0
    for target in targets:
        wide = target.cardinality.bit_length()
        if found[-1] and (taken + wide > min(TARGET_BITS, WORD_BITS) or len(found[-1]) == MOST_TARGETS):
            found.append([])
            taken = 0
        found[-1].append(target)
        taken += wide
    return found


def _places(bits: Sequence[int], taken: int) -> tuple[list[int], list[int]]:
    """How many words above the last each field stands, and how far up there, if some bits are taken."""
    words, shifts, word, end = list[int](), list[int](), 0, taken
    for wide in reversed(bits):
        if end + wide > WORD_BITS:
            word, end = word + 1, 0
        words.append(word)
        shifts.append(end)
        end += wide
    return words[::-1], shifts[::-1]


def _differ(bits: Sequence[int]) -> Integers:
    """For every difference of packed fields, the fields that it is not 0 in: bit 0 stands for the last."""
    differ, up = np.zeros(1 << sum(bits), np.int64), 0
    for place, wide in enumerate(reversed(bits)):
        field = (np.arange(len(differ)) >> up) & ((1 << wide) - 1)
        differ |= (field > 0).astype(np.int64) << place
        up += wide
    return differ


def _pack(placed: Sequence[tuple[_Field, int, int]]) -> Words:
    """The words of every row, from each field, its word and how far up it stands there."""
    tables = [(field.codes, word, field.shifted(up)) for field, word, up in placed]
    records = len(tables[0][0])
    words = np.zeros((records, 1 + max(word for _, word, _ in placed)), np.uint64)

    def work(part: slice) -> None:
        for first in range(part.start, part.stop, BLOCK):
            block = slice(first, min(first + BLOCK, part.stop))
            for codes, word, table in tables:
                words[block, word] |= table[codes[block]]

    run(work, shares(records, min(cores(), 1 + records // BLOCK)))
    return words


def _in_order(words: Words) -> Integers:
    """The rows sorted by the last word, and those alike in it, which are few as a rule, by the others too."""
    order = np.argsort(words[:, -1])
    if words.shape[1] > 1:
        alike = np.diff(words[order, -1]) == 0
        some = np.flatnonzero(np.append(alike, False) | np.append(False, alike))
        run = np.cumsum(np.append(True, ~alike))[some]
        order[some] = order[some][np.lexsort((*words[order[some], :-1].T, run))]
    return order


def _distinct(words: Words, times: Integers | None) -> tuple[Words, Integers]:
    """The different rows in sorted order, and how many records each stands for."""
    if words.shape[1] == 1 and times is None:
        words = np.sort(words, axis=0)
    else:
        order = _in_order(words)
        words, times = words[order], None if times is None else times[order]
    first = np.flatnonzero(np.append(True, (words[1:] != words[:-1]).any(axis=1)))
    often = np.diff(first, append=len(words)) if times is None else np.add.reduceat(times, first)
    if times is not None and (often == 0).any():  # rows that stand for nobody
        first, often = first[often > 0], often[often > 0]
    return words[first], often.astype(np.int64)
