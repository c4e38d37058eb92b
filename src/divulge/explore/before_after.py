"""The original and the release side by side: distributions, attacks, correlations, totals and needs."""

from __future__ import annotations

import numpy as np

from divulge._support.small_counts import SMALL, said_share
from divulge.documents.comparison import ComparisonDocument
from divulge.documents.making.exploration import BeforeAfterEntry, DistributionBarsEntry
from divulge.explore.choosing.choices import Choices
from divulge.explore.groups import known_groups
from divulge.explore.scene import Scene

MOST_BARS = 12
OTHERS = "other groups"


def before_and_after(scene: Scene, choices: Choices, document: ComparisonDocument) -> BeforeAfterEntry:
    """What the page shows of a comparison."""
    [found] = document["releases"]
    kept = ("attack", "title", "knows", "risk", "sentence", "undefined")
    loss = found["loss"]
    return BeforeAfterEntry(
        attacks=[{name: one[name] for name in kept} for one in found["attacks"]],  # type: ignore[literal-required]
        needs=found["needs"],
        correlations=loss["correlations"],
        totals=loss["totals"],
        distributions=distributions(scene, choices),
    )


def distributions(scene: Scene, choices: Choices) -> list[DistributionBarsEntry]:
    """For each quasi-identifier the share of records in each released group, before and after suppression."""
    table, levels = scene.table, scene.levels(choices.levels)
    kept = known_groups(scene, levels, choices.known_keys).kept
    left = int(table.sizes[kept].sum())
    found = {}
    for one, level, codes in zip(table.attributes, levels, table.codes_at(levels), strict=True):
        wide = len(one.leaves[level])
        before = np.bincount(codes, weights=table.sizes, minlength=wide)
        after = np.bincount(codes[kept], weights=table.sizes[kept], minlength=wide)
        names = [name if name is not None else "(missing)" for name in one.names[level]]
        order = np.argsort(-before, kind="stable")
        shown = min(MOST_BARS, int((before >= SMALL).sum()))  # a group of a few names someone
        bars = [(names[place], before[place], after[place]) for place in order[:shown].tolist()]
        if wide > shown:
            rest = order[shown:]
            bars.append((OTHERS, before[rest].sum(), after[rest].sum()))
        found[one.name] = DistributionBarsEntry(
            attribute=one.name,
            bars=[
                {
                    "label": name,
                    "before": said_share(float(was) / table.records, table.records),
                    "after": said_share(float(now) / left, left) if left else 0.0,
                }
                for name, was, now in bars
            ],
        )
    return [found[name] for name in table.named]
