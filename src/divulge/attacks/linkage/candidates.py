"""Which records of another table a released one may be about: those that fit it on all shared attributes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from divulge._support.threads import cached_property
from divulge.alignment.recognition import Fits, Groups, IntArray, recognised
from divulge.attacks.linkage.overlaps import affordable, one_by_one
from divulge.questions.data import Data
from divulge.table.codes import Codes
from divulge.table.packing import packed

Mask = npt.NDArray[np.bool_]
FEW_PASSES = 30
AFFORDABLE = 20_000_000  # records that passes may look at: some ten seconds
UNKNOWN, ANYTHING = -1, 0


@dataclass(frozen=True, eq=False)
class Links:
    """How many records of another table fit each released record, and how many released records say the same.

    Records are compared unless they tell nothing (all suppressed), hold a value that was not recognised, or
    stand among generalisations that overlap in so many ways that they were not reached.
    """

    fitting: IntArray
    alike: IntArray
    compared: Mask
    suppressed: int = field(repr=False)
    unrecognised: int = field(repr=False)

    @property
    def of(self) -> int:
        """Released records that were compared."""
        return int(self.compared.sum())

    @property
    def unreached(self) -> int:
        return len(self.compared) - self.of - self.suppressed - self.unrecognised

    @property
    def matched(self) -> Mask:
        """Records that some record of the other table fits."""
        return self.fitting > 0

    @property
    def alone(self) -> Mask:
        """Records that one record of the other table fits, and that are the only ones to say so."""
        return (self.fitting == 1) & (self.alike == 1)

    @property
    def crowded_out(self) -> npt.NDArray[np.float64]:
        """For each record, the share of those alike that are more than the records that fit them.

        Who only recodes, suppresses or leaves out gives every record an original of its own. Two records that
        fit one original are one too many: 0.5 for each of them.
        """
        return np.maximum(1 - self.fitting / np.maximum(self.alike, 1), 0.0)

    @cached_property
    def crowd(self) -> IntArray:
        """Among how many the person of each matched record hides.

        The other table may lack people: as many as say the same in the release must be there.
        """
        return self.crowd_of_all[self.matched]

    @property
    def crowd_of_all(self) -> IntArray:
        """The same for every record, matched or not."""
        return np.maximum(self.fitting, self.alike)

    def to_dict(self) -> dict[str, int]:
        """How many records were compared, and why others were not."""
        return {
            "compared": self.of,
            "without_a_match": self.of - int(self.matched.sum()),
            "suppressed": self.suppressed,
            "unrecognised": self.unrecognised,
            "not_reached": self.unreached,
        }


@dataclass(frozen=True, eq=False)
class SharedAttribute:
    """An attribute of both tables; released values that overlap lie in different layers."""

    released: Codes
    other: Codes
    fits: Fits
    layer: IntArray  # of each released code, from 1 on; 0 where it may be anything, -1 where it is unknown
    owner: IntArray  # by layer and code of the other table: the released code it fits plus one, 0 for none

    @classmethod
    def of(cls, released: Codes, other: Codes, fits: Fits) -> SharedAttribute:
        layer = np.full(released.cardinality, UNKNOWN, np.int64)
        layer[list(fits.anything)] = ANYTHING
        owner = [np.zeros(other.cardinality, np.int64) for _ in range(2)]
        flat = [*fits.codes.values(), np.zeros(0, np.int64)]
        apart = np.bincount(np.concatenate(flat), minlength=1).max() <= 1
        for code, fitting in fits.codes.items():
            place = 1 if apart else _free(owner, fitting)
            owner[place][fitting] = code + 1
            layer[code] = place
        return cls(released, other, fits, layer, np.stack(owner))

    def layers(self) -> IntArray:
        """The layer of each released record."""
        return self.layer[self.released.codes]

    def holds(self, released: IntArray, other: IntArray) -> Mask:
        """Whether records of the other table fit released ones, row by row."""
        codes = self.released.codes[released].astype(np.int64)
        layer = self.layer[codes]
        return (layer == ANYTHING) | (self.owner[layer, self.other.codes[other]] == codes + 1)


def share(
    released: Data,
    other: Data,
    columns: Mapping[str, str],
    groups: Mapping[str, Groups] | None = None,
) -> dict[str, SharedAttribute]:
    """The attributes of both tables; ``columns`` maps each of the other's to its counterpart here."""
    return {
        name: SharedAttribute.of(
            released.column(counterpart),
            other.column(name),
            recognised(released, counterpart, other, name, (groups or {}).get(name)),
        )
        for name, counterpart in columns.items()
    }


def link(shared: Sequence[SharedAttribute], times: IntArray | None = None) -> Links:
    """Compare all released records with all of the other table, on the attributes that both have.

    Records in the same layers are compared at once, in one pass over the other table. Where values overlap in
    so many ways that this takes too many passes, each kind of record is compared by itself. ``times`` says
    how many records each row of the other table stands for.
    """
    layers = [one.layers() for one in shared]
    known = np.logical_and.reduce([layer != UNKNOWN for layer in layers])
    told = np.logical_or.reduce([layer != ANYTHING for layer in layers])
    records, others = len(known), len(shared[0].other.codes)
    fitting, alike = np.zeros(records, np.int64), np.zeros(records, np.int64)
    compared = np.zeros(records, bool)
    rows = np.flatnonzero(known & told)
    columns = ((layer + 1, len(one.owner) + 1) for layer, one in zip(layers, shared, strict=True))
    _, number, sizes = np.unique(packed(columns, records)[rows], return_inverse=True, return_counts=True)
    suppressed, unrecognised = int((known & ~told).sum()), int((~known).sum())
    if len(sizes) > FEW_PASSES and affordable([one.released for one in shared], rows, others):
        every = np.repeat(np.arange(others), 1 if times is None else times)
        fits = [(one.released, one.other.take(every), one.fits) for one in shared]
        fitting[rows], alike[rows] = one_by_one(fits, rows)
        return Links(fitting, alike, known & told, suppressed, unrecognised)
    looked = 0
    for place in np.argsort(-sizes, kind="stable").tolist():
        looked += others + int(sizes[place])
        if looked > AFFORDABLE and compared.any():
            break
        some = rows[number == place]
        fitting[some], alike[some] = _matched(shared, [int(layer[some[0]]) for layer in layers], some, times)
        compared[some] = True
    return Links(fitting, alike, compared, suppressed, unrecognised)


def _matched(
    shared: Sequence[SharedAttribute], layers: Sequence[int], rows: IntArray, times: IntArray | None
) -> tuple[IntArray, IntArray]:
    """How many records of the other table fit each of some released records that lie in the same layers."""
    used = [(one, one.owner[layer]) for one, layer in zip(shared, layers, strict=True) if layer != ANYTHING]
    owned = [owner[one.other.codes] for one, owner in used]
    keep = np.logical_and.reduce([codes != 0 for codes in owned])
    columns = (
        (
            np.concatenate([codes[keep], one.released.codes[rows].astype(np.int64) + 1]),
            one.released.cardinality + 1,
        )
        for (one, _), codes in zip(used, owned, strict=True)
    )
    others = int(keep.sum())
    words, place = np.unique(packed(columns, others + len(rows)), return_inverse=True)
    weights = None if times is None else times[keep]
    fitting = np.bincount(place[:others], weights, minlength=len(words)).astype(np.int64)
    alike = np.bincount(place[others:], minlength=len(words))
    return fitting[place[others:]], alike[place[others:]]


def _free(owner: list[IntArray], fitting: IntArray) -> int:
    """The first layer in which nobody owns these codes; a new one where there is none."""
    for place in range(1, len(owner)):
        if not owner[place][fitting].any():
            return place
    owner.append(np.zeros_like(owner[0]))
    return len(owner) - 1
