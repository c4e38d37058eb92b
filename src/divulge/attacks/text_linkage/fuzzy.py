"""Linkage by names and other texts in which typing errors are to be expected, through Splink."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from divulge._support.small_counts import said_share
from divulge.alignment.tables import Alignment
from divulge.attacks.record_linkage.fellegi_sunter import ONE_ATTRIBUTE
from divulge.attacks.record_linkage.released_groups import in_released_groups
from divulge.attacks.record_linkage.thresholds import bands, precision_and_recall
from divulge.attacks.text_linkage.blocking import BlockingRule, TextColumn, chosen_rules, text_column
from divulge.attacks.text_linkage.splink_model import ScoredPairs, scored_pairs
from divulge.engines.pair_comparison import pair_database
from divulge.errors import SchemaError, Undefined

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
CLOSE = 1e-9  # weights that differ by less are the same


def fuzzy_linkage(
    alignment: Alignment, fuzzy: Sequence[str], keys: Sequence[str] = (), *, seed: int
) -> dict[str, Any]:
    """The entry ``fuzzy`` of ``divulge link --json``: undefined, with the reason, where there is none.

    ``fuzzy`` are attributes of the original in which typing errors are allowed, ``keys`` others to link by.
    """
    lost = [name for name in fuzzy if name not in alignment.columns]
    if lost:
        raise SchemaError(
            f"The release has no counterpart of {', '.join(lost)}.",
            hint="Name other attributes with --fuzzy, or counterparts with --column A=B.",
        )
    alignment = in_released_groups(alignment, [name for name in keys if name not in fuzzy])
    columns = [
        text_column(
            name,
            alignment.original.column(name),
            alignment.released.column(alignment.columns[name]),
            fuzzy=name in fuzzy,
        )
        for name in dict.fromkeys([*fuzzy, *keys])
    ]
    with pair_database(alignment.original.engine) as (database, engine):
        said: dict[str, Any] = {"attributes": _compared(columns), "engine": engine}
        try:
            _refuse_without_values(columns)
            rules = chosen_rules(columns)
            found = scored_pairs(database, columns, rules, seed=seed)
        except Undefined as reason:
            return {**said, "undefined": str(reason)}
    return {**said, "undefined": None, **_model(found, columns, rules), **_truth(found, alignment)}


def _compared(columns: Sequence[TextColumn]) -> dict[str, str]:
    return {column.name: "typing errors" if column.fuzzy else "equal" for column in columns}


def _refuse_without_values(columns: Sequence[TextColumn]) -> None:
    if max(len(columns[0].original), len(columns[0].released)) < 2:
        raise Undefined("there is one record in each table, and so one pair")
    if all(len(column.texts) <= 2 for column in columns):
        raise Undefined("all records are alike, or have no values")
    if len(columns) == 1:
        raise Undefined(f"{ONE_ATTRIBUTE}: name another with --fuzzy or --keys")


def _model(
    found: ScoredPairs, columns: Sequence[TextColumn], rules: Sequence[BlockingRule]
) -> dict[str, Any]:
    return {
        "blocking": [rule.words for rule in rules],
        "pairs": len(found.weight),
        "all_pairs": float(len(columns[0].original)) * len(columns[0].released),
        "rounds": found.rounds,
        "levels": [
            {"attribute": name, "level": level, "m": m, "u": u}
            for name, levels in found.levels.items()
            for level, (m, u) in levels.items()
        ],
        **bands(found.chance, np.ones(len(found.chance))),
    }


def _truth(found: ScoredPairs, alignment: Alignment) -> dict[str, Any]:
    """How many links of highest weight are right, how many right pairs were compared, and the thresholds."""
    if alignment.rows is None or not len(alignment.rows[0]):
        return {}
    ours, theirs = alignment.rows
    of, originals = len(ours), alignment.original.records
    known, own = np.zeros(alignment.released.records, np.bool_), np.full(alignment.released.records, -1)
    known[theirs], own[theirs] = True, ours
    right = found.original == own[found.released]
    linked = float(_shares(found)[right].sum())
    counted = known[found.released]
    return {
        "of": of,
        "compared": said_share(float(right.sum()) / of, of=of),
        "share": said_share(linked / of, of=of),
        "chance": 1 / originals,
        "curve": precision_and_recall(
            found.weight[counted], np.ones(int(counted.sum())), right[counted].astype(np.int64), of
        ),
    }


def _shares(found: ScoredPairs) -> Floats:
    """The chance of each pair to be the link of its released record: those of highest weight share it."""
    best = np.full(int(found.released.max()) + 1, -np.inf)
    np.maximum.at(best, found.released, found.weight)
    highest = found.weight >= best[found.released] - CLOSE
    ties = np.bincount(found.released[highest], minlength=len(best))
    return np.where(highest, 1 / np.maximum(ties[found.released], 1), 0.0)
