"""What a release under some choices gives away and costs, quick enough to follow a slider."""

from __future__ import annotations

import numpy as np

from divulge._support.small_counts import hidden_part, said_share
from divulge._support.wording import many, percent, share_of
from divulge.documents.making.exploration import (
    FiguresEntry,
    GroupSizesEntry,
    LearnedEntry,
    OriginalFiguresEntry,
    RiskEntry,
)
from divulge.errors import Undefined
from divulge.explore.attackers import assumed, attackers
from divulge.explore.choosing.choices import Choices
from divulge.explore.groups import KnownGroups, known_groups, original_groups
from divulge.explore.policy_demands import demand_entries
from divulge.explore.released_as_is import released_as_is
from divulge.explore.scene import Scene
from divulge.explore.table_checks import naming
from divulge.generalization.lattice import SingleNode
from divulge.generalization.transformations import exact_loss
from divulge.measures import get
from divulge.questions.data import Data

NOTHING_LEFT = (
    "At these levels no group is large enough, and nothing would be released. Raise levels, or find the "
    "least loss."
)
BANDS = ((1, 1), (2, 2), (3, 4), (5, 9), (10, 19), (20, 49), (50, 99), (100, None))
RATE = get("discrimination_rate")


def figures(scene: Scene, choices: Choices, original: Scene, whole: Data | None = None) -> FiguresEntry:
    """Everything that the page shows of one release; ``original`` is the scene before any further step.

    ``whole`` is the table of the population, where one was chosen.
    """
    levels = scene.levels(choices.levels)
    groups = known_groups(scene, levels, choices.known_keys)
    records, left = original.data.records, groups.records
    suppressed = groups.suppressed + max(records - scene.data.records, 0)
    incomplete = scene.data.records - scene.table.records
    alone = int(groups.sizes[groups.people == 1].sum())
    sums = SingleNode(scene.lattice).find(levels)
    loss = float(exact_loss(scene.lattice, levels, sums)[0]) if left and not choices.steps else None
    few = isinstance(hidden_part(suppressed, records), str)
    found = FiguresEntry(
        records=records,
        left=hidden_part(left, records),
        suppressed=hidden_part(suppressed, records),
        suppressed_share=said_share(suppressed / records, records),
        incomplete=hidden_part(incomplete, records),
        within_limit=suppressed <= choices.suppress * records + 1e-9,
        groups=len(groups.people),
        smallest=hidden_part(int(groups.people.min()), None) if left else None,
        unique=hidden_part(alone, left or None),
        unique_share=said_share(alone / left, left) if left else 0.0,
        original=_original(original, choices),
        sizes=_sizes(groups, choices.least),
        risks=_risks(groups, choices, whole, few=few) if left else [],
        learned=[_learned(groups, name) for name in scene.data.schema.sensitive] if left else [],
        thresholds=demand_entries(scene, levels, sums, groups.records),
        as_it_is=released_as_is(scene),
        loss=loss,
        loss_undefined=_no_loss(left, choices),
        loss_by_attribute=_by_attribute(scene, levels),
        sentence="",
        assumed=assumed(scene, choices),
    )
    sentence = _sentence(found, groups, (alone, suppressed, incomplete), choices)
    named = naming(scene, levels)
    if named is not None and named.outcome == "fail":
        sentence = f"Do not release: {named.brief}. {sentence}"
    found["sentence"] = sentence
    return found


def _no_loss(left: int, choices: Choices) -> str | None:
    if not left:
        return "nothing is left"
    return "further steps change values as well; compare with the original" if choices.steps else None


def _original(scene: Scene, choices: Choices) -> OriginalFiguresEntry:
    known = choices.known_keys
    if ("original", known) not in scene.memo:
        scene.memo["original", known] = _of_original(scene, known)
    found: OriginalFiguresEntry = scene.memo["original", known]
    return found


def _of_original(scene: Scene, known: tuple[str, ...]) -> OriginalFiguresEntry:
    groups, records = original_groups(scene, known), scene.table.records
    alone = int(groups.sizes[groups.people == 1].sum())
    return OriginalFiguresEntry(
        smallest=hidden_part(int(groups.people.min()), None),
        unique=hidden_part(alone, records),
        unique_share=said_share(alone / records, records),
    )


def _sizes(groups: KnownGroups, least: int) -> list[GroupSizesEntry]:
    """The share of records by how many people their group has."""
    left, people = max(groups.records, 1), groups.people
    found: list[GroupSizesEntry] = []
    for low, high in BANDS:
        inside = (people >= low) & (people <= (high or np.iinfo(np.int64).max))
        records = int(groups.sizes[inside].sum())
        label = str(low) if low == high else f"{low} to {high}" if high else f"{low} or more"
        found.append(
            GroupSizesEntry(label=label, people=said_share(records / left, left), few=(high or low) < least)
        )
    return found


def _risks(groups: KnownGroups, choices: Choices, whole: Data | None, *, few: bool) -> list[RiskEntry]:
    starred = groups.suppressed if groups.scene.data.suppressed else 0
    return attackers(groups, choices.sampled_from, whole, starred=starred, few=few)


def _learned(groups: KnownGroups, name: str) -> LearnedEntry:
    counts = groups.counts(groups.scene.target(name))
    cells = counts.cells
    assert cells is not None, "a target has cells"
    most = np.maximum.reduceat(cells.weight, cells.start[:-1])
    by_value = np.bincount(cells.target, weights=cells.weight)
    left, weight = groups.records, float(np.sum(cells.weight))
    certain = int(groups.sizes[np.diff(cells.start) == 1].sum())
    try:
        rate, undefined = float(RATE.compute(counts)), None
    except Undefined as reason:
        rate, undefined = None, str(reason)
    return LearnedEntry(
        attribute=name,
        rate=rate,
        undefined=undefined,
        guessed_before=float(by_value.max() / weight),
        guessed_after=float(most.sum() / weight),
        certain=said_share(certain / left, left),
    )


def _by_attribute(scene: Scene, levels: tuple[int, ...]) -> dict[str, float]:
    """What each attribute's level costs before anything is suppressed."""
    costs = scene.lattice.costs.by_level
    found = {
        one.name: float(cost[level])
        for one, cost, level in zip(scene.table.attributes, costs, levels, strict=True)
    }
    return {name: found[name] for name in scene.table.named}


def _sentence(
    found: FiguresEntry, groups: KnownGroups, counts: tuple[int, int, int], choices: Choices
) -> str:
    """The release in one sentence, its number first."""
    alone, suppressed, incomplete = counts
    left = groups.records
    if not left:
        return NOTHING_LEFT
    if not groups.known:
        return "The attacker knows nothing of a person: tick what may be known."
    if not found["within_limit"]:
        share = share_of(suppressed, found["records"])
        return f"{share} of records would be suppressed; the limit is {percent(choices.suppress)}."
    if incomplete:
        share = share_of(incomplete, found["records"])
        return f"{share} of records lack a quasi-identifier: they are released, and in no group."
    if alone:
        return f"{share_of(alone, left)} of records are alone with what the attacker knows."
    smallest = hidden_part(int(groups.people.min()), None)
    if isinstance(smallest, str):
        return "Nobody is alone; the smallest group has fewer than 5 people."
    return f"{many(smallest)} people or more share everything that the attacker knows of any of them."
