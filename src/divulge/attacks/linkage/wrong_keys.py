"""Keys that join different people: numbers that were given out anew fit the original's, but are others'."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

import numpy as np

from divulge._support.wording import share_in_percent
from divulge.alignment.row_order import ENOUGH, compared_in_order, row_order
from divulge.alignment.tables import BY_KEY, BY_ORDER, BY_RECIPE, NOT_BY_RECORD, Alignment
from divulge.attacks.linkage.candidates import link, share
from divulge.errors import listing

NEARLY_ALL = 0.95  # of the records, that fit some original, each another one
FEWEST = 20  # records, of fewer chance decides
JOINED = "records that it joins are of different people"


def joins_others(alignment: Alignment, among: Collection[str] = ()) -> str | None:
    """That a key joins records that fit as at random, while nearly all fit someone, in words; or None.

    Of values that were exchanged or changed, those together fit nobody; and with one attribute that is
    compared, nobody can tell whether it or the key was. ``among`` are the attributes to look at, if not all.
    """
    if alignment.rows is None or alignment.times is not None:
        return None
    if alignment.how in (BY_KEY, BY_ORDER, BY_RECIPE) or len(alignment.rows[0]) < FEWEST:
        return None
    original, released, (ours, theirs) = alignment.original, alignment.released, alignment.rows
    columns = _besides(alignment, among)
    joined = compared_in_order(original.taking(ours), released.taking(theirs), columns)
    if len(joined) < 2 or any(one.nearer_to_best for one in joined.values()):
        return None
    shared = share(released, original, {name: columns[name] for name in joined})
    known = [one for one in shared.values() if not one.fits.unknown]
    if len(known) < 2:
        return None
    found = link(known)
    asked = found.compared[theirs]
    if not asked.any():
        return None
    someone = float((1 - found.crowded_out[theirs])[asked].mean())
    own = float(np.logical_and.reduce([one.holds(theirs, ours) for one in known])[asked].mean())
    chance = float(found.fitting[theirs][asked].mean()) / original.records
    if someone < NEARLY_ALL or own - chance >= ENOUGH * (someone - chance):
        return None
    some, most = (share_in_percent(one, int(asked.sum())) for one in (own, someone))
    return (
        f"{JOINED}. {some} of the released records fit the original one that they are joined with, and "
        f"{most} fit some original one."
    )


def without_wrong_key(alignment: Alignment, among: Collection[str] = ()) -> Alignment:
    """The alignment, not by a key that joins different people: by order where that fits, or not at all."""
    why = joins_others(alignment, among)
    if why is None:
        return alignment
    original, released = alignment.original, alignment.released
    named = alignment.by or original.schema.identifiers
    said = f"Rows cannot be aligned by {listing(named)}: {why} The tables are compared without it."
    notes = (*alignment.notes, said)
    if not alignment.by and original.records == released.records:
        order = row_order(original, released, _besides(alignment, among))
        if order.supported:
            rows = np.arange(original.records)
            return replace(alignment, rows=(rows, rows), how=BY_ORDER, order=order, notes=notes)
    return replace(alignment, rows=None, how=NOT_BY_RECORD, notes=notes)


def _besides(alignment: Alignment, among: Collection[str]) -> dict[str, str]:
    """The attributes of both tables but for those that say whose record it is."""
    apart = {*alignment.by, *alignment.original.schema.identifiers}
    return {
        here: there
        for here, there in alignment.columns.items()
        if here not in apart and (not among or here in among)
    }
