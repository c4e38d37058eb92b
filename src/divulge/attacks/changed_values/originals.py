"""What a released attribute tells about its original values: record by record, and as sets."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from divulge.alignment.recognition import numbers_of
from divulge.alignment.tables import Alignment
from divulge.attacks.changed_values.coupling import coupled
from divulge.attacks.linkage.candidates import SharedAttribute
from divulge.attacks.outcome import AttackReading, reading
from divulge.counting.counts import Cells, JointCounts
from divulge.engines.memory.engine import MemoryEngine
from divulge.errors import EmptySource
from divulge.questions.data import Data
from divulge.questions.question import Question
from divulge.source.base import Columns
from divulge.table.codes import MISSING, Codes, narrow
from divulge.table.schema import Schema

Floats = npt.NDArray[np.float64]

SUPPRESSED = "all its released values are suppressed or missing"
BY_CHANCE = (
    "nearly all its released values are unique, so they would predict as much in any order of the records"
)
MOST_BY_CHANCE = 0.5  # of the information: beyond it, a rate says too little about what is beyond chance
RECURRING = 10  # records for each released number, below which numbers are read in bands


def by_record(
    alignment: Alignment, name: str, *, show_values: bool, seed: int | None = None
) -> AttackReading:
    """What the released values tell about the original ones, on the records that both tables have.

    ``seed`` asks for what a shuffle of the alignment gives. Numbers that hardly recur are then read in bands,
    as many on both sides, since values of one's own say as much in any order.
    """
    original, released = alignment.pair(name)
    if seed is not None:
        original, released = _in_bands(original, released)
    key, weights = alignment.columns[name], alignment.original.weights
    columns = {"original": original, "released": released}
    if weights is not None and alignment.rows is not None:
        columns["weights"] = alignment.original.column(weights).take(alignment.rows[0])
    data = Data(
        MemoryEngine(Columns("the aligned records", tuple(columns), alignment.aligned, columns.__getitem__)),
        Schema(tuple(columns)),
        weights=None if weights is None else "weights",
        missing=alignment.released.missing,
        suppressed=alignment.released.suppressed,
    )
    question = Question(data, ("released",), ("original",))
    try:
        counts = question.counts.in_cells()
    except EmptySource:
        return AttackReading((key,), name, undefined=SUPPRESSED)
    named = (lambda: question.classes) if show_values else None
    found = reading((key,), name, counts, named=named, seed=seed)
    if not question.suppressed_records:
        return found
    everyone = Question(replace(data, suppressed=None), question.keys, question.target).counts
    return _of_all(found, counts, everyone.weight, everyone.entropy)


def beyond_chance(one: AttackReading) -> AttackReading:
    """The same reading with the rate that is left once chance is taken off, never below 0."""
    if one.discrimination_rate is None:
        return one
    if one.adjusted is None or (one.chance or 0.0) > MOST_BY_CHANCE:
        return AttackReading(one.keys, one.target, chance=one.chance, undefined=BY_CHANCE)
    return replace(one, discrimination_rate=max(0.0, one.adjusted))


def as_sets(
    key: str, name: str, shared: SharedAttribute, *, show_values: bool, weights: Floats | None = None
) -> AttackReading:
    """What released values tell when the attacker does not know which original values they belong to.

    A released value may stand for any original record that fits it, one that is suppressed for any at all;
    of all the ways in which records may belong together, the one that tells least is read. So the order of
    rows does not matter. Values that were not recognised are left out. ``weights`` are those of the original
    records.
    """
    released, original = shared.released, shared.other
    if not shared.fits.codes:
        unknown = "no original value was recognised behind its released values"
        return AttackReading((key,), name, undefined=unknown if shared.fits.unknown else SUPPRESSED)
    used = original.used()
    fits = {**shared.fits.codes, **dict.fromkeys(sorted(shared.fits.anything), used)}
    size = released.frequencies()[list(fits)]
    target = np.concatenate(list(fits.values()))
    width = np.asarray([len(fitting) for fitting in fits.values()])
    start = np.concatenate([[0], np.cumsum(width)])
    often = original.frequencies()
    weight = coupled(size, start, target, often)
    if weights is not None:
        weight *= np.bincount(original.codes, weights, original.cardinality)[target] / often[target]
    used, place = np.unique(target, return_inverse=True)
    values = [released.value(code) for code in fits]
    counts = JointCounts(
        size,
        Cells(start, place, np.rint(weight).astype(np.int64), weight),
        range(len(used)),
        keys=(key,),
        target=name,
        decode=lambda which: [{key: values[i]} for i in which],
    )
    named = (lambda: counts) if show_values else None
    return reading((key,), name, counts, named=named)


def _of_all(one: AttackReading, shown: JointCounts, weight: float, entropy: float) -> AttackReading:
    """A reading of the shown cells as a share of what all could tell: suppressed ones tell nothing of it."""
    if entropy == 0:
        return one
    if one.discrimination_rate is None:  # a single original value is left to be shown
        return replace(one, discrimination_rate=0.0, itpr=0.0, undefined=None)
    share = shown.weight * shown.entropy / (weight * entropy)
    adjusted = None if one.adjusted is None else one.adjusted * share
    return replace(one, discrimination_rate=one.discrimination_rate * share, adjusted=adjusted)


def _in_bands(original: Codes, released: Codes) -> tuple[Codes, Codes]:
    """Both columns in bands of about as many records each, where they hold numbers that hardly recur."""
    records = len(released.codes)
    ours, theirs = numbers_of(original), numbers_of(released)
    if ours is None or theirs is None or np.count_nonzero(np.bincount(released.codes)) * RECURRING <= records:
        return original, released
    bands = max(2, round(records ** (1 / 3)))
    return _banded(ours, bands), _banded(theirs, bands)


def _banded(numbers: Floats, bands: int) -> Codes:
    known = ~np.isnan(numbers)
    edges = np.quantile(numbers[known], np.linspace(0, 1, bands + 1)[1:-1])
    codes = np.where(known, 1 + np.searchsorted(edges, numbers, side="right"), MISSING)
    return Codes(narrow(codes, bands + 1), range(1, bands + 1))


def brief(one: AttackReading, shared: SharedAttribute) -> dict[str, Any]:
    """A reading as sets in short, with how many records it rests on."""
    size = shared.released.frequencies()
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
