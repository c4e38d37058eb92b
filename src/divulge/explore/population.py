"""People beyond the table: weights of records, a table of the population, and who is unique there."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from divulge._support.stages import Stage
from divulge.alignment.recognition import recognise
from divulge.attacks.linkage.candidates import SharedAttribute, link
from divulge.documents.making.exploration import PopulationFigureEntry
from divulge.errors import ParameterError
from divulge.explore.choosing.choices import Choices
from divulge.explore.groups import KnownGroups
from divulge.explore.scene import Scene
from divulge.generalization.attribute_levels import AttributeLevels
from divulge.questions.data import Data
from divulge.table.codes import MISSING, Codes
from divulge.table.packing import coded, combinations
from divulge.uniques.account import Uniqueness, uniqueness
from divulge.uniques.sample import sampling_weights

Integers = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
NO_POPULATION = "Nothing says what the table is a sample of."
COARSER = "released values are coarser than those of the population; the journalist compares them"


@dataclass(frozen=True, eq=False)
class PopulationTable:
    """How often each combination of quasi-identifiers occurs in the population."""

    columns: Mapping[str, Codes]
    times: Integers
    people: int = field(repr=False)
    _shared: dict[Any, SharedAttribute] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, scene: Scene, whole: Data) -> PopulationTable:
        """The population as a scene asks about it."""
        whole.load(scene.table.named)
        columns = {name: whole.column(name) for name in scene.table.named}
        found = combinations(coded(columns.values()), whole.records)
        kept = {name: column.take(found.first) for name, column in columns.items()}
        return cls(kept, np.bincount(found.number), whole.records)

    def fitting(self, groups: KnownGroups) -> tuple[Integers, npt.NDArray[np.bool_]]:
        """How many people of the population each group may be about, and whether that can be said."""
        table = groups.scene.table
        _, first = np.unique(groups.owner, return_index=True)
        shared = [
            self._attribute(groups, one, level, codes[groups.kept][first])
            for one, level, codes in zip(
                table.attributes, groups.levels, table.codes_at(groups.levels), strict=True
            )
            if one.name in groups.known
        ]
        if not shared:
            return np.full(len(first), self.people), np.zeros(len(first), bool)
        links = link(shared, self.times)
        return links.fitting, links.compared

    def _attribute(
        self, groups: KnownGroups, one: AttributeLevels, level: int, places: Integers
    ) -> SharedAttribute:
        """An attribute at a level beside the population's values, which are recognised once."""
        names = one.names[level]
        given = [name for name in names if name is not None]
        code = np.asarray([MISSING if name is None else given.index(name) + 1 for name in names])
        if (one.name, level) not in self._shared:
            every = Codes(code, given)
            mark = groups.scene.data.suppressed
            fits = recognise(
                every,
                self.columns[one.name],
                suppressed=given.index(mark) + 1 if mark in given else None,
                hierarchies=[groups.scene.trees[one.name]],
            )
            self._shared[one.name, level] = SharedAttribute.of(every, self.columns[one.name], fits)
        known = self._shared[one.name, level]
        return replace(known, released=Codes(code[places], given))


def population_table(scene: Scene, whole: Data) -> PopulationTable:
    """The same, made once for each scene."""
    if ("population", id(whole)) not in scene.memo:
        scene.memo["population", id(whole)] = PopulationTable.of(scene, whole)
    found: PopulationTable = scene.memo["population", id(whole)]
    return found


def people_by_weight(groups: KnownGroups, attribute: str) -> Floats:
    """How many people of the population each group stands for, by the weights of its records.

    A person counts once in each group, and weighs the mean of all their records.
    """
    scene = groups.scene
    if ("weights", attribute) not in scene.memo:
        scene.memo["weights", attribute] = _weights(scene, attribute)
    owner, person, weights = scene.memo["weights", attribute]
    group = np.full(len(groups.kept), -1)
    group[groups.kept] = groups.owner
    here = group[owner]
    if person is None:
        found = np.bincount(here[here >= 0], weights[here >= 0], minlength=len(groups.sizes))
        return np.asarray(found, np.float64)
    inside = here >= 0
    first, _ = combinations(
        [(here[inside], len(groups.sizes)), (person[inside], int(person.max()) + 1)], int(inside.sum())
    )
    stands_for = weights[inside][first]
    return np.asarray(np.bincount(here[inside][first], stands_for, minlength=len(groups.sizes)), np.float64)


def _weights(scene: Scene, attribute: str) -> tuple[Integers, Integers | None, Floats]:
    """Classes with their weights; where people have several records, a row for each class and person."""
    data = scene.counted
    if attribute not in data.schema.attributes:
        raise ParameterError(f"The steps leave no attribute '{attribute}' that holds weights.")
    weights = sampling_weights(replace(data, weights=attribute), np.arange(data.records))
    assert weights is not None, "an attribute was named"
    owner = scene.table.class_of.astype(np.int64)
    if scene.person is None:
        classes = np.arange(len(scene.table.sizes))
        by_class = np.bincount(owner, weights, minlength=len(classes))
        return classes.astype(np.int64), None, by_class.astype(np.float64)
    people = combinations(coded(data.column(name) for name in data.schema.identifiers), data.records).number
    mean = np.bincount(people, weights) / np.bincount(people)
    return owner, people, mean[people]


def unique_people(
    scene: Scene, choices: Choices, seed: int, whole: Data | None
) -> Callable[[Stage], list[PopulationFigureEntry]]:
    """Figures of the population by what the attacker knows of the release."""
    sampled = choices.sampled_from
    weight = scene.data.sample_weights if sampled is None else sampled.weight
    if sampled is None and weight is None:
        raise ParameterError(NO_POPULATION, hint="Give a share, weights or a table of the population.")
    known = [name for name in choices.known_keys if name in scene.table.named]  # steps may remove others
    if not known:
        raise ParameterError("The attacker knows nothing of a person.", hint="Tick what may be known.")

    def find(stage: Stage) -> list[PopulationFigureEntry]:
        released = scene.policy.open(scene.release(choices.levels, seed, keep_order=True).table)
        try:
            found = uniqueness(
                replace(released, weights=weight),
                keys=known,
                population=whole,
                fraction=None if sampled is None else sampled.share(scene.before.people),
                stage=stage,
            )
        except ParameterError:
            if whole is None:
                raise
            return [_figure("Unique in the population", "people", undefined=COARSER)]
        return _figures(found)

    return find


def _figures(found: Uniqueness) -> list[PopulationFigureEntry]:
    said = found.body()
    if said["known"] is not None:
        known = said["known"]
        return [
            _figure("Unique in the population", "people", known["unique_in_population"]),
            _figure("Smallest number of people alike (k-map)", "people", known["k_map"]),
            _figure("Right if matched with a unique record", "share", (said["match"] or {}).get("value")),
        ]
    spread, match, presence = said["spread"], said["match"], said["estimated"]
    return [
        _figure(
            "Unique in the population, by different models",
            "people",
            interval=None if spread is None else [spread["least"], spread["largest"]],
            undefined=found.unsaid or "no model has a solution",
        ),
        _figure(
            "Right if matched with a unique record",
            "share",
            (match or {}).get("value"),
            (match or {}).get("interval"),
            found.unsaid or "nobody is unique in the release",
        ),
        _figure(
            "Named if all records are guessed",
            "people",
            said["risk"]["expected"],
            said["risk"].get("interval"),
        ),
        _figure(
            "Smallest number of people alike (k-map)",
            "people",
            presence["k_map"]["value"],
            presence["k_map"]["interval"],
        ),
    ]


def _figure(
    title: str,
    unit: str,
    value: float | str | None = None,
    interval: list[float] | None = None,
    undefined: str | None = None,
) -> PopulationFigureEntry:
    why = undefined if value is None and interval is None else None
    return PopulationFigureEntry(title=title, unit=unit, value=value, interval=interval, undefined=why)
