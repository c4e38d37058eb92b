"""The original and the release side by side: distributions, attacks, correlations, totals and needs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from divulge._support.small_counts import SMALL, said_share
from divulge._support.stages import Stage, silent
from divulge.assessment.naming import namings
from divulge.documents.comparison import ComparisonDocument
from divulge.documents.making.exploration import BeforeAfterEntry, DistributionBarsEntry
from divulge.explore.background import BackgroundWork, LatestWork, comparison
from divulge.explore.choosing.choices import Choices
from divulge.explore.choosing.reading_options import detected_kind
from divulge.explore.groups import known_groups, people_in
from divulge.explore.population import unique_people
from divulge.explore.scene import Scene, Scenes
from divulge.roles.vocabulary import of_weights
from divulge.table.schema import Role

MOST_BARS = 12
MOST_CODES = 12  # different whole numbers up to which they are taken for codes, unless someone says otherwise
OTHERS = "other groups"
TITLES = ("prosecutor", "journalist", "marketer")  # of attacks that the figures beside the page have as well
BY_TABLE, BY_POPULATION = "everyone taken to be in the table", "counted in the table of the population"
PEOPLE = (
    "These attackers know all quasi-identifiers. Those beside the figures know what is ticked, and for them "
    "the population counts however it is given."
)


class ReleaseFindings:
    """What takes its time to be found of a release: the comparison, and figures of the population."""

    def __init__(self, scenes: Scenes, seed: int) -> None:
        self._scenes, self._seed, self._work = scenes, seed, LatestWork()

    def compared(self, choices: Choices) -> dict[str, Any]:
        """The original and the release side by side, begun where it was not; or how far that is."""
        work = self._comparison(choices)
        if not work.over:
            return {"comparing": True, **work.so_far}
        if work.refused is not None:
            return {"comparing": False, "undefined": str(work.refused)}
        scene = self._scenes.scene(choices)
        return {"comparing": False, **before_and_after(scene, choices, work.result())}

    def population(self, choices: Choices) -> dict[str, Any]:
        """Figures of the population, begun where they were not; or how far that is."""
        whole = self._scenes.everyone(choices)
        finding = unique_people(self._scenes.scene(choices), choices, self._seed, whole)
        work = self._work.of("population", replace(choices, needs={}), finding)
        if not work.over:
            return {"estimating": True, **work.so_far}
        if work.refused is not None:
            return {"estimating": False, "undefined": str(work.refused)}
        return {"estimating": False, "figures": work.result()}

    def stop_outdated(self, choices: Choices) -> None:
        """End what would find something of other choices."""
        self._work.stop_other("comparison", replace(choices, known=()))
        self._work.stop_other("population", replace(choices, needs={}))

    def document(self, choices: Choices) -> ComparisonDocument:
        """The whole comparison, once it is found."""
        found: ComparisonDocument | None = self._comparison(choices).result()
        if found is None:  # something else was chosen meanwhile, and this is still wanted
            found = self._finding(choices)(silent)
        return found

    def _comparison(self, choices: Choices) -> BackgroundWork:
        """The comparison, which does not depend on what the attacker knows of a person."""
        return self._work.of("comparison", replace(choices, known=()), self._finding(choices))

    def _finding(self, choices: Choices) -> Callable[[Stage], ComparisonDocument]:
        scene, whole = self._scenes.scene(choices), self._scenes.everyone(choices)
        return comparison(scene, choices, self._seed, whole)


def before_and_after(scene: Scene, choices: Choices, document: ComparisonDocument) -> BeforeAfterEntry:
    """What the page shows of a comparison."""
    [found] = document["releases"]
    kept = ("attack", "title", "knows", "risk", "sentence", "undefined")
    loss, summed = found["loss"], {None, *summed_attributes(scene, choices)}
    sampled = scene.policy.population is not None or scene.data.sample_weights is not None
    return BeforeAfterEntry(
        people=PEOPLE,
        attacks=[
            {**{name: one[name] for name in kept}, "title": _title(one["attack"], one["title"], choices)}  # type: ignore[literal-required]
            for one in found["attacks"]
        ],
        needs=found["needs"],
        correlations=[one for one in loss["correlations"] if summed.issuperset(one["attributes"])],
        totals=[one for one in loss["totals"] if one["attribute"] in summed],
        totals_of="population" if sampled else "records",
        distributions=distributions(scene, choices),
    )


def _title(attack: str, title: str, choices: Choices) -> str:
    """The title of an attack; of one that the figures have as well, with whom it counts."""
    if attack not in TITLES:
        return title
    counted = attack != "prosecutor" and "source" in choices.population
    return f"{title}, {BY_POPULATION if counted else BY_TABLE}"


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
        many = people_in(scene, codes, wide) >= SMALL  # a group of a few names someone
        order = np.lexsort((-before, ~many))
        shown = min(MOST_BARS, int(many.sum()))
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


def summed_attributes(scene: Scene, choices: Choices) -> list[str]:
    """The attributes that may be added up: those said to be numbers, and what looks like an amount."""
    if "numbered" not in scene.memo:
        scene.memo["numbered"] = {one.attribute for one in namings(scene.before, ()) if not one.differs}
    others = scene.memo["numbered"]
    return [name for name in scene.before.schema.attributes if _is_summed(scene, choices, name, others)]


def _is_summed(scene: Scene, choices: Choices, name: str, numbered: set[str]) -> bool:
    data = scene.before
    if name in (data.weights, data.sample_weights, choices.population.get("weight")):
        return False
    if data.schema.role(name) is Role.IDENTIFIER:
        return False
    said = choices.types.get(name)
    if said is not None:
        return said == "number"
    if name in numbered or of_weights(name) or detected_kind(data, name) != "number":
        return False
    column, often = data.frequencies(name)
    values = [value for value, count in zip(column.values, often[1:], strict=True) if count]
    return len(values) > MOST_CODES or any(float(str(value)) % 1 for value in values)
