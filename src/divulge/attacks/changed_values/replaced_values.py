"""Attributes whose released values are not those of the original: another one may be behind their name."""

from __future__ import annotations

from divulge.alignment.tables import Alignment
from divulge.attacks.changed_values.truth import MOST_CHANGED, unrecognised
from divulge.attacks.linkage.candidates import share


def replaced_attributes(alignment: Alignment) -> tuple[str, ...]:
    """The released attributes of which many values do not fit those of the original.

    Where records are matched, each is held against its own value; otherwise against all that there are.
    """
    original = alignment.original
    aside = {*alignment.by, *original.schema.identifiers, original.sample_weights}
    columns = {here: there for here, there in alignment.columns.items() if here not in aside}
    shared = share(alignment.released, original, columns)
    if alignment.rows is None:
        strange = {name: unrecognised(one) for name, one in shared.items()}
    else:
        ours, theirs = alignment.rows
        strange = {name: 1 - float(one.holds(theirs, ours).mean()) for name, one in shared.items()}
    return tuple(columns[name] for name, some in strange.items() if some > MOST_CHANGED)
