"""What a linkage could not compare, or took for something, as notes beside its figures."""

from __future__ import annotations

from collections.abc import Sequence

from divulge._support.wording import enumerated
from divulge.alignment.tables import Alignment
from divulge.attacks.record_linkage.compared_keys import ComparedKey, not_compared
from divulge.attacks.record_linkage.released_groups import overlap_sentence, overlapping
from divulge.table.codes import MISSING


def missing_values(alignment: Alignment, keys: Sequence[ComparedKey]) -> list[str]:
    """What missing values are taken for, where there are any beside others."""
    one, other, there = alignment.original, alignment.released, alignment.columns
    shown = [key.name for key in keys if not key.hidden]
    held = [
        name
        for name in shown
        if (one.column(name).codes == MISSING).any() or (other.column(there[name]).codes == MISSING).any()
    ]
    words = "A missing value is like another missing one and unlike all others"
    return [f"{words}; there are some in {enumerated(held)}."] if held else []


def unread_values(
    alignment: Alignment,
    by_distance: Sequence[ComparedKey],
    placed: Sequence[str],
    by_agreement: Sequence[ComparedKey],
    agreeing: Sequence[str],
) -> list[str]:
    """Which attributes could not be compared, by distance, by agreement or at all."""
    far, apart = not_compared(by_distance, placed), not_compared(by_agreement, agreeing)
    overlap = overlapping(alignment, [*dict.fromkeys([*far, *apart])])
    ways = {
        "Not compared": [name for name in far if name in apart],
        "Not compared by distance": [name for name in far if name not in apart],
        "Not compared by agreement": [name for name in apart if name not in far],
    }
    said = [
        (what, [name for name in names if (name in overlap) == groups], groups)
        for what, names in ways.items()
        for groups in (False, True)
    ]
    return [
        f"{what}: {enumerated(names)}. {_unread(len(names), groups)}" for what, names, groups in said if names
    ]


def _unread(attributes: int, groups: bool) -> str:
    whose, them = ("Its", "it") if attributes == 1 else ("Their", "them")
    why = "groups overlap" if groups else "values match no original value"
    return f"{whose} released {why}, so links through {them} are not measured."


def overlapping_groups(
    alignment: Alignment, keys: Sequence[ComparedKey], compared: Sequence[str]
) -> list[str]:
    """Which compared attributes have released groups that overlap; distances know those of a hierarchy."""
    found = overlapping(alignment, compared)
    named = [one.name for one in keys if one.kind == "category"]
    said = {
        "Only": [name for name in found if name in named],
        "By agreement, only": [name for name in found if name not in named],
    }
    return [overlap_sentence(names, begin) for begin, names in said.items() if names]


def suppressed_for_everyone(keys: Sequence[ComparedKey]) -> list[str]:
    """Of which attributes nothing was released."""
    gone = [one.name for one in keys if one.hidden]
    return [f"Suppressed for everyone: {enumerated(gone)}."] if gone else []
