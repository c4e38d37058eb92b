"""Original values as the groups in which they were released, so that both tables can be compared."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from divulge._support.wording import enumerated
from divulge.alignment.recognition import Fits, recognised
from divulge.alignment.tables import Alignment
from divulge.questions.data import Data
from divulge.table.codes import MISSING, Codes, narrow
from divulge.table.packing import Column, common_codes

NO_GROUP = "in no released group"


def in_released_groups(alignment: Alignment, attributes: Sequence[str]) -> Alignment:
    """The alignment with original values replaced by the released ones that may stand for them.

    An attribute stays as it is where released values are original ones, or where they overlap, so that an
    original value may be in several groups.
    """
    original = alignment.original
    for name in attributes:
        fits, column = _groups(alignment, name), alignment.original.column(name)
        if fits is not None and not _overlap(fits, column):
            released = alignment.released.column(alignment.columns[name])
            original = original.replacing(name, _grouped(column, released, fits))
    return replace(alignment, original=original)


def overlapping(alignment: Alignment, attributes: Sequence[str]) -> list[str]:
    """The attributes some of whose original values may be in several released groups."""
    found = {name: _groups(alignment, name) for name in attributes}
    columns = alignment.original.column
    return [name for name, fits in found.items() if fits is not None and _overlap(fits, columns(name))]


def overlap_sentence(attributes: Sequence[str], begin: str = "Only") -> str:
    """What is not compared of attributes whose released groups overlap."""
    words = "values released as they were are compared, so more may be linked"
    return f"Released groups of {enumerated(attributes)} overlap. {begin} {words}."


def _groups(alignment: Alignment, name: str) -> Fits | None:
    """The original values in each released group; None where released ones are original, or unknown."""
    original, released, there = alignment.original, alignment.released, alignment.columns[name]
    if shown_values(released, there) <= shown_values(original, name):
        return None
    fits = recognised(released, there, original, name)
    return fits if fits.codes else None


def _overlap(fits: Fits, column: Codes) -> bool:
    owned = np.bincount(np.concatenate([*fits.codes.values()]), minlength=column.cardinality)
    return bool(owned.max() > 1)


def _grouped(column: Codes, released: Codes, fits: Fits) -> Codes:
    values = [*released.values, NO_GROUP]
    group = np.full(column.cardinality, len(values), np.int64)
    for code, fitting in fits.codes.items():
        group[fitting] = code
    if MISSING not in fits.codes:
        group[MISSING] = MISSING
    return Codes(narrow(group[column.codes], len(values)), values)


def common_columns(alignment: Alignment, attributes: Sequence[str]) -> tuple[list[Column], list[Column]]:
    """Attributes of both tables in common codes: the same where values read the same."""
    ours, theirs = list[Column](), list[Column]()
    for name in attributes:
        released = alignment.released.column(alignment.columns[name])
        first, second, bound = common_codes(alignment.original.column(name), released)
        ours.append((first, bound))
        theirs.append((second, bound))
    return ours, theirs


def shown_values(data: Data, attribute: str) -> set[str]:
    """The values of an attribute that occur, as texts, without the mark of suppressed cells."""
    column = data.column(attribute)
    found = {str(value) for value in column.values_of(column.used()) if value is not None}
    return found - {str(data.suppressed)}
