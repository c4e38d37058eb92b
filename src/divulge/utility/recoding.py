"""The original in the categories of the release, so that distributions can be compared; and its price."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from divulge._support.shares import entropy
from divulge.errors import Undefined
from divulge.table.codes import MISSING
from divulge.utility.numbering import SUPPRESSED, Floats, Integers, used
from divulge.utility.values import Paired


@dataclass(frozen=True)
class Recoding:
    """What an attribute loses by being put into the release's categories, whatever becomes of its records.

    ``entropy_loss`` is H(original) - H(recoded) in bits, ``share_of_entropy`` that as a share of
    H(original): how much of what values tell is gone before distributions are compared.
    """

    attribute: str
    values: int
    categories: int
    entropy_loss: float
    share_of_entropy: float | None


def recoded(pair: Paired) -> tuple[Paired, Recoding | None]:
    """Both tables in categories that hold every released value whole; the same pair where none are needed.

    Released values that share an original value are in one category, with all values they stand for. So
    groups of several levels count by the largest of them. A value that stands for all values there are counts
    as suppressed. Undefined where groups that overlap leave a single category of several.
    """
    if pair.numbers is not None or pair.comparable:
        return pair, None
    known = pair.meanings
    if not known.groups and not known.nothing:
        return pair, None
    category = _categories(pair)
    own = used(pair.original)
    own[[MISSING, -1]] = False
    values = int(own.sum())
    categories = len(np.unique(category[own]))
    if categories == 1 < values:
        raise Undefined(f"all released groups of {pair.attribute} overlap, so there is nothing to compare")
    found = _in_categories(pair, category)
    before, after = (entropy(np.sort(codes.frequencies())) for codes in (pair.original, found.original))
    if not known.groups:
        return found, None
    lost = max(before - after, 0.0) if categories < values else 0.0
    return found, Recoding(pair.attribute, values, categories, lost, lost / before if before > 0 else None)


def _categories(pair: Paired) -> Integers:
    """For each code the lowest code of its category; gaps, and what tells nothing, by themselves."""
    lower: Integers = np.arange(pair.cardinality)  # for each code one of its category, itself if the lowest

    def lowest(codes: Integers) -> Integers:
        while (lower[codes] != codes).any():
            codes = lower[codes]
        return codes

    for code, values in pair.meanings.groups.items():
        together = lowest(np.append(values, code))
        lower[together] = together.min()
    found = lowest(np.arange(pair.cardinality))
    found[list(pair.meanings.nothing)] = pair.cardinality - 1
    return found


def _in_categories(pair: Paired, category: Integers) -> Paired:
    """The pair with a code for each category, in the order of their numbers where the original has them."""
    there = used(pair.original) | used(pair.released)
    names = np.unique(category[there])
    names = names[(names != MISSING) & (names != pair.cardinality - 1)]
    at = _positions(pair, category, names)
    order = np.arange(len(names)) if at is None else np.argsort(at, kind="stable")
    table = np.zeros(pair.cardinality, np.int64)
    table[names[order]] = np.arange(1, len(names) + 1)
    table[-1] = len(names) + 1
    listed = [*(f"category {place}" for place in range(1, len(names) + 1)), SUPPRESSED]
    numbers = None if at is None else np.concatenate([[np.nan], at[order], [np.nan]])
    original, released = (codes.recode(table[category], listed) for codes in (pair.original, pair.released))
    return replace(pair, original=original, released=released, numbers=numbers, own_numbers=numbers)


def _positions(pair: Paired, category: Integers, names: Integers) -> Floats | None:
    """The mean of the original's numbers in each category; None unless all have one."""
    if pair.own_numbers is None:
        return None
    often = np.bincount(pair.original.codes, minlength=pair.cardinality)
    often[np.isnan(pair.own_numbers)] = 0
    weights = np.bincount(category, often, pair.cardinality)[names]
    sums = np.bincount(category, often * np.nan_to_num(pair.own_numbers), pair.cardinality)[names]
    return sums / weights if (weights > 0).all() else None
