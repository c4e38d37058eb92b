"""Who is unique in the population, as far as the release says it: what ``divulge uniqueness`` finds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from divulge._support.stages import Stage
from divulge.documents.making.exploration import PopulationFigureEntry
from divulge.errors import ParameterError
from divulge.explore.choosing.choices import Choices
from divulge.explore.scene import Scene
from divulge.questions.data import Data
from divulge.uniques.account import Uniqueness, uniqueness

NO_POPULATION = "Nothing says what the table is a sample of."
COARSER = "released values are coarser than those of the population; the journalist compares them"


def unique_people(
    scene: Scene, choices: Choices, seed: int, whole: Data | None
) -> Callable[[Stage], list[PopulationFigureEntry]]:
    """Figures of the population by what the attacker knows of the release."""
    sampled = choices.sampled_from
    weight = scene.data.sample_weights if sampled is None else sampled.weight
    if sampled is None and weight is None:
        raise ParameterError(NO_POPULATION, hint="Give a share, weights or a table of the population.")
    if not choices.known_keys:
        raise ParameterError("The attacker knows nothing of a person.", hint="Tick what may be known.")

    def find(stage: Stage) -> list[PopulationFigureEntry]:
        released = scene.policy.open(scene.release(choices.levels, seed, keep_order=True).table)
        try:
            found = uniqueness(
                replace(released, weights=weight),
                keys=choices.known_keys,
                population=whole,
                size=None if sampled is None else sampled.size,
                fraction=None if sampled is None else sampled.fraction,
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
