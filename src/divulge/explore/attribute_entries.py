"""Attributes as the page shows them: roles, reasons, and the levels of hierarchies, rare values masked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from divulge._support.small_counts import SMALL, hidden_part
from divulge.documents.making.exploration import ExploredAttributeEntry, LevelEntry
from divulge.explore.choosing.hierarchy_edits import cut_points, is_numeric, span
from divulge.explore.choosing.reading_options import MASK, detected_kind
from divulge.explore.scene import Scene
from divulge.questions.data import Data
from divulge.table.codes import MISSING
from divulge.table.hierarchy import Hierarchy

SHOWN_GROUPS = 40
SHOWN_CUTS = 24


def attribute_entries(
    data: Data,
    roles: Mapping[str, str],
    reasons: Mapping[str, list[str]],
    scene: Scene | None,
    *,
    unlocked: bool,
) -> list[ExploredAttributeEntry]:
    """Every attribute, in the order of the data."""
    return [
        _entry(data, name, role, reasons.get(name, []), scene, unlocked=unlocked)
        for name, role in roles.items()
    ]


def _entry(
    data: Data, name: str, role: str, reasons: list[str], scene: Scene | None, *, unlocked: bool
) -> ExploredAttributeEntry:
    column, often = data.frequencies(name)
    tree = None if scene is None else scene.trees.get(name)
    said = None if scene is None else scene.choices.types.get(name)
    kind = said or detected_kind(data, name)
    numeric = tree is not None and kind == "number" and is_numeric(tree)
    return ExploredAttributeEntry(
        name=name,
        role=role,
        reasons=reasons,
        type=kind,
        values=int((often[1:] > 0).sum()),
        missing=hidden_part(int(often[MISSING]), data.records),
        levels=[] if tree is None else _levels(tree, _counts(column, often), unlocked=unlocked),
        made=scene is not None and name in scene.made,
        numeric=numeric,
        whole=numeric and tree is not None and all("." not in value for value in tree.values),
        span=span(tree) if tree is not None and unlocked else None,
    )


def _counts(column: Any, often: Any) -> dict[str, int]:
    used = np.flatnonzero(often[1:]) + 1
    return {
        str(value): int(often[code])
        for value, code in zip(column.values_of(used), used.tolist(), strict=True)
    }


def _levels(tree: Hierarchy, often: Mapping[str, int], *, unlocked: bool) -> list[LevelEntry]:
    """The levels; while records are locked no group of few records is named, and no single value shows."""
    found = [LevelEntry(groups=len(tree.values), names=[], masked=0, cuts=None)]
    for level in range(1, tree.levels + 1):
        counts: dict[str, int] = {}
        for value, name in zip(tree.values, tree.groups[level - 1], strict=True):
            counts[name] = counts.get(name, 0) + often.get(value, 0)
        names = [name if unlocked or count >= SMALL else MASK for name, count in counts.items()]
        shown = [name for name in names if name != MASK]
        cuts = cut_points(tree, level) if unlocked else None
        found.append(
            LevelEntry(
                groups=len(names),
                names=shown[:SHOWN_GROUPS],
                masked=len(names) - len(shown),
                cuts=cuts if cuts is not None and len(cuts) <= SHOWN_CUTS else None,
            )
        )
    return found
