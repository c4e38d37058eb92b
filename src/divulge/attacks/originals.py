"""What a released attribute tells about its original values: record by record, and as sets."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from divulge.alignment import Alignment
from divulge.attacks.linkage import Shared
from divulge.attacks.outcome import AttackReading, reading
from divulge.codes import MISSING, Codes
from divulge.counts import Cells, JointCounts
from divulge.data import Data
from divulge.errors import EmptySource
from divulge.question import Question
from divulge.schema import Schema
from divulge.source.base import Columns


def by_record(alignment: Alignment, name: str, *, show_values: bool) -> AttackReading:
    """What the released values tell about the original ones, on the records that both tables have."""
    original, released = alignment.pair(name)
    key, weights = alignment.columns[name], alignment.original.weights
    columns = {"original": original, "released": released}
    if weights is not None and alignment.rows is not None:
        columns["weights"] = alignment.original.column(weights).take(alignment.rows[0])
    data = Data(
        Columns("the aligned records", tuple(columns), alignment.aligned, columns.__getitem__),
        Schema(tuple(columns)),
        weights=None if weights is None else "weights",
        missing=alignment.released.missing,
        suppressed=alignment.released.suppressed,
    )
    question = Question(data, ("released",), ("original",))
    try:
        counts = question.counts
    except EmptySource:
        return AttackReading((key,), name, undefined="all its released values are suppressed or missing")
    found = reading((key,), name, counts, named=(lambda: question.classes) if show_values else None)
    if not question.suppressed_records:
        return found
    everyone = Question(replace(data, suppressed=None), question.keys, question.target).counts
    return _of_all(found, counts, everyone.weight, everyone.entropy)


def as_sets(key: str, name: str, shared: Shared, *, show_values: bool) -> AttackReading:
    """What released values tell when the attacker does not know which original values they belong to.

    A released value may stand for any original record that fits it, each as likely as the others.
    """
    released, original, fits = shared.released, shared.other, shared.fits.codes
    if not fits:
        unknown = "no original value was recognised behind its released values"
        return AttackReading(
            (key,), name, undefined=unknown if shared.fits.unknown else "all its values are suppressed"
        )
    size = np.bincount(released.codes, minlength=released.cardinality)[list(fits)]
    target = np.concatenate(list(fits.values()))
    width = np.asarray([len(fitting) for fitting in fits.values()])
    start = np.concatenate([[0], np.cumsum(width)])
    often = np.bincount(original.codes, minlength=original.cardinality)[target].astype(np.float64)
    weight = often * np.repeat(size / np.add.reduceat(often, start[:-1]), width)
    used, place = np.unique(target, return_inverse=True)
    values = [_value(released, code) for code in fits]
    counts = JointCounts(
        size,
        Cells(start, place, np.rint(weight).astype(np.int64), weight),
        range(len(used)),
        keys=(key,),
        target=name,
        decode=lambda which: [{key: values[i]} for i in which],
    )
    found = reading((key,), name, counts, named=(lambda: counts) if show_values else None)
    hidden = int(np.isin(released.codes, list(shared.fits.anything)).sum())
    if not hidden:
        return found
    whole = JointCounts.of_table([np.bincount(original.codes)]).entropy
    return _of_all(found, counts, counts.weight + hidden, max(whole, counts.entropy))


def _of_all(one: AttackReading, shown: JointCounts, weight: float, entropy: float) -> AttackReading:
    """A reading of the shown cells as a share of what all could tell: suppressed ones tell nothing of it."""
    if entropy == 0:
        return one
    if one.discrimination_rate is None:  # a single original value is left to be shown
        return replace(one, discrimination_rate=0.0, itpr=0.0, undefined=None)
    share = shown.weight * shown.entropy / (weight * entropy)
    return replace(one, discrimination_rate=one.discrimination_rate * share)


def brief(one: AttackReading, shared: Shared) -> dict[str, Any]:
    """A reading as sets in short, with how many records it rests on."""
    size = np.bincount(shared.released.codes, minlength=shared.released.cardinality)
    unknown = list(shared.fits.unknown)
    return {
        "key": one.keys[0],
        "target": one.target,
        "discrimination_rate": one.discrimination_rate,
        "itpr": one.itpr,
        "undefined": one.undefined,
        "recognised_records": int(size[list(shared.fits.codes)].sum()),
        "unrecognised_values": len(unknown),
        "unrecognised_records": int(size[unknown].sum()),
    }


def _value(column: Codes, code: int) -> object:
    return None if code == MISSING else column.values[code - 1]
