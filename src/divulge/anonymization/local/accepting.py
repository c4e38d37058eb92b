"""The local recoding that is released: the least loss whose release passes, at worst the global optimum."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from divulge.anonymization.local.levels import Levels
from divulge.anonymization.local.recoding import LocalKind, LocalRecoding, Mask, recoding, saved_by_class
from divulge.generalization.lattice import GeneralizationLattice
from divulge.generalization.plain import beyond_bounds

MOST_CHECKED = 8  # releases of which some groups are finer


def accepted_recoding(
    lattice: GeneralizationLattice,
    best: Levels,
    candidates: Sequence[LocalRecoding],
    accept: Callable[[LocalRecoding], bool],
    kind: LocalKind = "levels",
) -> LocalRecoding:
    """The first candidate that passes; where none does, the optimum with as many groups finer as pass.

    What groups do not decide, such as a rate over the whole table, can fail on a release of finer groups.
    The global optimum passes, so groups of it are made finer, those that gain most first, by bisection.
    """
    owner = lattice.table.merged(best)
    bad = beyond_bounds(lattice.table, lattice.criteria.of_classes, owner)[owner]
    whole = replace(recoding(lattice, np.tile(best, (len(owner), 1)), bad, kind=kind), alike=True)
    for one in candidates:
        if one.loss < whole.loss and accept(one):
            return one
    finer = next((one for one in candidates if one.start == best), None)
    if finer is None or finer.loss >= whole.loss:
        return whole
    unit = np.where(bad, 0, owner + 1)  # what was suppressed is recoded together, or not at all
    gain = lattice.table.sizes * (saved_by_class(lattice, finer) - saved_by_class(lattice, whole))
    units = np.argsort(-np.bincount(unit, weights=gain), kind="stable")
    found, low, high = whole, 0, len(units)
    for _ in range(MOST_CHECKED):
        middle = (low + high) // 2
        if middle == low:
            break
        one = _mixed(lattice, whole, finer, np.isin(unit, units[:middle]))
        if accept(one):
            found, low = one, middle
        else:
            high = middle
    return found


def _mixed(
    lattice: GeneralizationLattice, whole: LocalRecoding, finer: LocalRecoding, chosen: Mask
) -> LocalRecoding:
    """Some classes as in one recoding, the others as in another."""
    return recoding(
        lattice,
        np.where(chosen[:, None], finer.levels, whole.levels),
        np.where(chosen, finer.suppressed, whole.suppressed),
        kind=finer.kind,
        ranges=finer.ranges,
        part_of=None if finer.part_of is None else np.where(chosen, finer.part_of, -1),
    )
