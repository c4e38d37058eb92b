"""Which pairs of records are compared where all would be too many: those that agree on something.

The pairs that a rule makes follow from the sizes of groups in both tables, so that rules are chosen within a
bound before any pair is made.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import numpy.typing as npt

from divulge._support.wording import many
from divulge.errors import TooMuch
from divulge.table.codes import Codes
from divulge.table.packing import packed

Integers = npt.NDArray[np.int64]
MOST_PAIRS = 2_000_000
LETTERS = 3


@dataclass(frozen=True, eq=False)
class TextColumn:
    """An attribute of both tables as texts in common numbers, 0 where it is missing."""

    name: str
    texts: tuple[str | None, ...]
    original: Integers
    released: Integers
    fuzzy: bool


@dataclass(frozen=True, eq=False)
class BlockingRule:
    """Pairs that agree on something: in words, in SQL, and by a number for each record (0: with nobody)."""

    words: str
    sql: str
    original: Integers
    released: Integers
    of: frozenset[int]  # columns that it looks at

    @property
    def pairs(self) -> int:
        """How many pairs agree."""
        bound = int(max(self.original.max(initial=0), self.released.max(initial=0))) + 1
        here, there = (
            np.bincount(one, minlength=bound).astype(float) for one in (self.original, self.released)
        )
        return int(here[1:] @ there[1:])


def text_column(name: str, one: Codes, other: Codes, *, fuzzy: bool) -> TextColumn:
    """An attribute of two tables as texts, without spaces around them and in small letters."""
    number: dict[str, int] = {}
    tables = [
        np.array([0, *(_number(number, str(value).strip().casefold()) for value in column.values)], np.int64)
        for column in (one, other)
    ]
    return TextColumn(name, (None, *number), tables[0][one.codes], tables[1][other.codes], fuzzy)


def chosen_rules(columns: Sequence[TextColumn]) -> list[BlockingRule]:
    """Rules that together make a bounded number of pairs: every pair where they fit, otherwise the best.

    Those with fewest pairs come first, as long as there is room: an attribute that is equal, or the first or
    last letters of one in which typing errors are allowed. Of those that make too many pairs, two together.
    """
    originals, released = len(columns[0].original), len(columns[0].released)
    if originals * released <= MOST_PAIRS:
        return [
            BlockingRule(
                "every pair", "1=1", np.ones(originals, np.int64), np.ones(released, np.int64), frozenset()
            )
        ]
    rules = [rule for place, column in enumerate(columns) for rule in _rules(place, column)]
    chosen, left = _fitting(rules, MOST_PAIRS)
    unfit = [rule for rule in rules if rule not in chosen]
    both = [_together(one, other) for one, other in combinations(unfit, 2) if not one.of & other.of]
    chosen += _fitting(both, left)[0]
    if not chosen:
        raise TooMuch(
            f"Too many records agree on these attributes: any two attributes leave more than "
            f"{many(MOST_PAIRS)} pairs to compare.",
            hint="Name more attributes with --fuzzy or --keys, such as a name or a postcode.",
        )
    return chosen


def _fitting(rules: Sequence[BlockingRule], left: int) -> tuple[list[BlockingRule], int]:
    """The rules with fewest pairs that fit, and how many pairs are left to others."""
    chosen = list[BlockingRule]()
    for pairs, rule in sorted(((rule.pairs, rule) for rule in rules), key=lambda one: one[0]):
        if 0 < pairs <= left:
            chosen.append(rule)
            left -= pairs
    return chosen, left


def _rules(place: int, column: TextColumn) -> list[BlockingRule]:
    sql, of = f"a{place}", frozenset({place})
    rules = [BlockingRule(f"equal {column.name}", f"l.{sql} = r.{sql}", column.original, column.released, of)]
    if column.fuzzy:
        for end, part in (
            ("first", f"left({{}}.{sql}, {LETTERS})"),
            ("last", f"right({{}}.{sql}, {LETTERS})"),
        ):
            parts = [None if text is None else _part(text, end) for text in column.texts]
            number: dict[str, int] = {}
            table = np.array([0 if one is None else _number(number, one) for one in parts], np.int64)
            words = f"{end} {LETTERS} letters of {column.name}"
            equal = f"{part.format('l')} = {part.format('r')}"
            rules.append(BlockingRule(words, equal, table[column.original], table[column.released], of))
    return rules


def _part(text: str, end: str) -> str:
    return text[:LETTERS] if end == "first" else text[-LETTERS:]


def _number(known: dict[str, int], text: str) -> int:
    return known.setdefault(text, len(known) + 1)


def _together(one: BlockingRule, other: BlockingRule) -> BlockingRule:
    length = len(one.original)
    joined = [np.concatenate([rule.original, rule.released]) for rule in (one, other)]
    word = packed([(part, int(part.max(initial=0)) + 1) for part in joined], len(joined[0]))
    _, number = np.unique(word, return_inverse=True)
    number = np.where((joined[0] > 0) & (joined[1] > 0), number + 1, 0)
    words, sql = f"{one.words} and {other.words}", f"{one.sql} and {other.sql}"
    return BlockingRule(words, sql, number[:length], number[length:], one.of | other.of)
