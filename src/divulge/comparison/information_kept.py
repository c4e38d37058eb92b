"""The share of the information that a release keeps, whatever the order of its rows."""

from __future__ import annotations

from collections.abc import Mapping
from statistics import fmean

import numpy as np

from divulge._support.wording import share_in_percent
from divulge.alignment.tables import Alignment
from divulge.attacks.changed_values.originals import as_sets, beyond_chance, by_record
from divulge.attacks.changed_values.truth import (
    MOST_CHANGED,
    NAME_AN_IDENTIFIER,
    Truth,
    or_misread,
    unread,
    unrecognised,
)
from divulge.attacks.linkage.candidates import SharedAttribute, link, share
from divulge.attacks.outcome import AttackReading
from divulge.utility.values import attributes_of

NOTHING_READ = "the values of no attribute could be compared with those of the original"


def information_kept(alignment: Alignment, truth: Truth | None, seed: int) -> tuple[float | None, str | None]:
    """The mean over attributes of 1 - H(original | released) / H(original), or why there is none.

    An attribute that the release does not have keeps nothing, and neither do the records that it lacks.
    Released values are read as sets, as the white box attacker reads them. Where values were changed that is
    no reading of what is kept; they are then read record by record, what chance gives taken off.
    """
    if truth is not None and truth.unknown is not None:
        return None, truth.unknown
    columns = {name: alignment.columns[name] for name in attributes_of(alignment)}
    shared = share(alignment.released, alignment.original, columns)
    unknown = unread(alignment, shared)
    if unknown is not None:
        return None, unknown
    apart = None if alignment.identified or not shared else _apart(alignment, shared)
    if apart is not None and alignment.rows is None:
        return None, apart
    sure = alignment.identified or apart is not None or (truth is not None and truth.changed is not None)
    found = [_kept(alignment, sure, name, one, seed) for name, one in shared.items()]
    shares = [one for one in found if one is not None]
    if not shares:
        return None, NOTHING_READ
    return fmean([*shares, *[0.0] * _left_out(alignment)]) * _records_kept(alignment), None


def _apart(alignment: Alignment, shared: Mapping[str, SharedAttribute]) -> str | None:
    """That released records are not those of the original once all attributes are compared, in words."""
    links = link(list(shared.values()))
    if not links.of:
        return None
    strange = float(links.crowded_out[links.compared].mean())
    if strange <= MOST_CHANGED:
        return None
    return (
        f"{share_in_percent(strange, links.of)} of the released records have no original record of their own "
        f"once all attributes are compared, so values were exchanged or changed"
        f"{or_misread(alignment, shared)}; {NAME_AN_IDENTIFIER}"
    )


def _left_out(alignment: Alignment) -> int:
    """How many attributes that tell something the release does not have; identifiers and weights aside."""
    original = alignment.original
    aside = {*original.schema.identifiers, *alignment.by, original.weights, *alignment.columns}
    lacking = [name for name in original.schema.attributes if name not in aside]
    return sum(np.unique(original.column(name).codes).size > 1 for name in lacking)


def _records_kept(alignment: Alignment) -> float:
    """The share of the original's records that the release has: those matched, or as many as it could be."""
    there = alignment.released.records if alignment.rows is None else alignment.aligned
    return min(1.0, there / alignment.original.records)


def _kept(alignment: Alignment, sure: bool, name: str, shared: SharedAttribute, seed: int) -> float | None:
    """What is kept of one attribute: nothing where nothing is beyond chance; None where there was nothing."""
    if np.unique(shared.other.codes).size <= 1:
        return None
    return _reading(alignment, sure, name, shared, seed).discrimination_rate or 0.0


def _reading(
    alignment: Alignment, sure: bool, name: str, shared: SharedAttribute, seed: int
) -> AttackReading:
    """What released values tell of the original ones, of which nothing is told where there is no rate.

    ``sure`` says that rows belong together, or that values which do not fit theirs were changed anyway.
    """
    known = unrecognised(shared) <= MOST_CHANGED
    if alignment.rows is not None and (not known or (sure and _changed(alignment, shared))):
        return beyond_chance(by_record(alignment, name, show_values=False, seed=seed))
    return as_sets(alignment.columns[name], name, shared, show_values=False)


def _changed(alignment: Alignment, shared: SharedAttribute) -> bool:
    assert alignment.rows is not None
    ours, theirs = alignment.rows
    return float(1 - shared.holds(theirs, ours).mean()) > MOST_CHANGED
