"""How often the original has each value of a released attribute: what its classes are compared with."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from divulge._support.wording import records
from divulge.alignment.recognition import Fits, recognised
from divulge.counting.counts import Beside
from divulge.errors import PartitionError, counted
from divulge.questions.data import Data
from divulge.table.codes import MISSING, Codes
from divulge.table.partition import Partition

ORIGINAL = "the original table"


def beside(
    original: Data, name: str, released: Data, column: str, partition: Partition | None = None
) -> Beside:
    """The original's values of an attribute, told by those of the release, with how often it has each.

    A released value that stands for several is as frequent as they are together. That cannot be said where an
    original value may be behind several released ones, where cells are suppressed, or where a released
    value was not recognised: then it is undefined. ``partition`` is what both are counted under.
    """
    if partition is not None:
        return _under(original, name, partition)
    ours, theirs = original.column(name), released.column(column)
    weight = _weights(original, ours)
    fits = recognised(released, column, original, name)
    owners = _owners(fits, ours.cardinality)
    told = dict.fromkeys((_text(theirs, code) for code in theirs.used().tolist()), 0.0)
    for code, fitting in fits.codes.items():
        told[_text(theirs, code)] += float(weight[fitting].sum())
    for code in np.flatnonzero((owners == 0) & (weight > 0)).tolist():
        told[_text(ours, code)] = float(weight[code])
    ambiguous = bool((owners > 1).any())
    return Beside(ORIGINAL, told, _why_not(column, fits, theirs, ambiguous), ambiguous)


def _under(original: Data, name: str, partition: Partition) -> Beside:
    try:
        column = partition.apply(original.column(name), attribute=name)
    except PartitionError as error:
        return Beside(ORIGINAL, {}, error.message.removesuffix("."))
    weight = _weights(original, column)
    return Beside(ORIGINAL, {_text(column, code): float(weight[code]) for code in column.used().tolist()})


def _why_not(column: str, fits: Fits, released: Codes, ambiguous: bool) -> str | None:
    """Why the values of the original cannot be told by the released ones; None when they can."""
    size = released.frequencies()
    hidden, unknown = int(size[list(fits.anything)].sum()), len(fits.unknown)
    if ambiguous:
        return f"an original value of {column} may be behind several released ones"
    if hidden:
        return f"{column} is suppressed or missing on {records(hidden)} of the release only"
    if unknown:
        return f"no original value was recognised behind {counted(unknown, 'released value')} of {column}"
    return None


def _owners(fits: Fits, values: int) -> npt.NDArray[np.int64]:
    """Behind how many released values each original one may be."""
    flat = [*fits.codes.values(), np.zeros(0, np.int64)]
    return np.bincount(np.concatenate(flat), minlength=values)


def _weights(data: Data, column: Codes) -> npt.NDArray[np.float64]:
    """How often each code occurs, or what its records weigh; none for missing where these are dropped."""
    weight = column.frequencies(data.record_weights())
    if data.missing == "drop":
        weight[MISSING] = 0
    return np.asarray(weight, np.float64)


def _text(column: Codes, code: int) -> str | None:
    return None if code == MISSING else str(column.values[code - 1])
