"""What values lost as categories: how many changed, how much they tell of the original, how tables differ."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from divulge._support.seeds import SEED
from divulge.alignment.tables import Alignment
from divulge.attacks.changed_values.originals import beyond_chance, by_record
from divulge.errors import ParameterError, Undefined
from divulge.table.packing import packed
from divulge.utility.distributions import LARGEST_TABLE, shares, taken_together, total_variation
from divulge.utility.numbering import Floats, Integers, Mask
from divulge.utility.recoding import recoded
from divulge.utility.values import NOT_ALIGNED, Paired, aligned, attributes_of, whole


@dataclass(frozen=True)
class CategoricalLoss:
    """What an attribute lost, record by record: 0 if nothing.

    ``changed`` is the mean distance of a value from the released one: for nominal values the share that
    changed, for ordinal ones how far along the order. ``entropy_loss`` is H(original | released) in bits,
    what the released values leave unknown of the original ones, and ``share_of_entropy`` is that as a share
    of H(original). The latter has no value where ``undefined`` says why. Values that hardly recur say as much
    in any order: ``share_beyond_chance`` is the loss once chance is taken off, with such numbers in bands, so
    that an unrelated release reads as 1. It is None where chance explains most of what is kept.
    """

    attribute: str
    kind: Literal["nominal", "ordinal"]
    changed: float | None
    entropy_loss: float | None
    share_of_entropy: float | None
    undefined: str | None = None
    share_beyond_chance: float | None = None
    moved: int = field(default=0, repr=False)  # records whose value differs


@dataclass(frozen=True)
class TableDistance:
    """How far the shares of combinations of values have moved: 0 not at all, 1 where none is shared."""

    attributes: tuple[str, ...]
    order: int
    distance: float


def categorical_loss(alignment: Alignment) -> list[CategoricalLoss]:
    """What each attribute lost as a list of categories, on aligned records.

    >>> from divulge import read
    >>> from divulge.alignment.tables import align
    >>> table, coarse = {"age": ["21", "25", "34", "36"]}, {"age": ["2*", "2*", "3*", "3*"]}
    >>> [loss] = categorical_loss(align(read(table), read(coarse)))
    >>> loss.changed, loss.entropy_loss, loss.share_of_entropy
    (1.0, 1.0, 0.5)
    """
    return [_loss(alignment, name) for name in attributes_of(alignment)]


def contingency_distances(alignment: Alignment, *, order: int = 2) -> list[TableDistance]:
    """Half the sum of absolute differences between shares, for up to ``order`` attributes at a time.

    The original is put into the groups of the release first. Only attributes count whose released values are
    then all values of the original; suppressed and missing ones are compared as such. Tables of more than
    four million possible combinations are left out. Records need not be aligned.
    """
    if order < 1:
        raise ParameterError(
            f"The order of a contingency table must be 1 or more, not {order}.", hint=("Give 1 or more.")
        )
    columns = list(_comparable(alignment))
    return [
        TableDistance(tuple(one.attribute for one in chosen), size, total_variation(*shares(chosen)))
        for size in range(1, order + 1)
        for chosen in taken_together(columns, size)
    ]


def _comparable(alignment: Alignment) -> Iterator[Paired]:
    """The attributes whose tables can be compared, in the categories of the release."""
    for name in attributes_of(alignment):
        with suppress(Undefined):
            pair, _ = recoded(whole(alignment, name))
            if pair.comparable:
                yield pair


def _loss(alignment: Alignment, attribute: str) -> CategoricalLoss:
    pair = whole(alignment, attribute) if alignment.rows is None else aligned(alignment, attribute)
    order = pair.ranks(alignment.original.orders.get(attribute))
    kind: Literal["nominal", "ordinal"] = "nominal" if order is None else "ordinal"
    if alignment.rows is None:
        return CategoricalLoss(attribute, kind, None, None, None, NOT_ALIGNED)
    differs = pair.original.codes != pair.released.codes
    changed = differs if order is None else _apart(pair, differs, *order)
    before, left = _entropies(pair)
    share = left / before if before > 0 else None
    reason = None if before > 0 else "it has one value only in the original, so there was nothing to lose"
    moved = int(differs.sum())
    beyond = None if share is None else _beyond_chance(alignment, attribute, moved)
    return CategoricalLoss(attribute, kind, float(changed.mean()), left, share, reason, beyond, moved)


def _beyond_chance(alignment: Alignment, attribute: str, moved: int) -> float | None:
    """What is lost once chance is taken off; None where nearly all values are unique and are no numbers."""
    if not moved:
        return 0.0
    told = beyond_chance(by_record(alignment, attribute, show_values=False, seed=SEED))
    return None if told.discrimination_rate is None else 1 - told.discrimination_rate


def _apart(pair: Paired, changed: Mask, ranks: Integers, places: int) -> Floats:
    """Steps along the order over the number of places; a value that is gone, or new, is a whole one."""
    steps = np.abs(ranks[pair.original.codes] - ranks[pair.released.codes]) / places
    return np.where(pair.gap(pair.original) | pair.gap(pair.released), changed, steps)


def _entropies(pair: Paired) -> tuple[float, float]:
    """H(original) and H(original | released), in bits."""
    records = len(pair.original.codes)
    words = packed(((side.codes, pair.cardinality) for side in (pair.released, pair.original)), records)
    few = pair.cardinality**2 <= LARGEST_TABLE
    together = np.bincount(words) if few else np.unique(words, return_counts=True)[1]
    ours, theirs = np.bincount(pair.original.codes), np.bincount(pair.released.codes)
    if np.count_nonzero(ours) == 1:
        return 0.0, 0.0
    before = math.log2(records) - _weighed(ours) / records
    return before, min(max((_weighed(theirs) - _weighed(together)) / records, 0.0), before)


def _weighed(counts: Integers) -> float:
    """The sum of c log2 c, added up by size so that the same counts in another order give the same."""
    counts = np.sort(counts[counts > 0])
    return float((counts * np.log2(counts)).sum())
