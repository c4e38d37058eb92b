"""What attackers achieve on a release: the prosecutor, the journalist and the marketer."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from divulge._support.small_counts import hidden_part, said_share
from divulge._support.wording import enumerated, many, percent
from divulge.anonymization.result.unsaid import unsaid_risk
from divulge.attacks.identity import NOT_COMPARED
from divulge.documents.making.exploration import RiskAboveEntry, RiskEntry
from divulge.explore.choosing.choices import Choices
from divulge.explore.groups import KnownGroups
from divulge.explore.population import people_by_weight, population_table
from divulge.explore.scene import Scene
from divulge.policy import Population
from divulge.questions.data import Data
from divulge.uniques.individual_risk import expected_reciprocal

Floats = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]
KNOWN = "knows that a certain person is in the table"
ANYONE = "wants to name anyone"
MANY = "wants to name many; share of all records that are named right"
OVER = "over 20%"
CURVE = (0.5, 0.33, 0.2, 0.1, 0.05, 0.02, 0.01)  # bounds of the risk curve
CLOSE = 1e-12
UNSAID = "not said, since it tells how few people the smallest group has"


@dataclass(frozen=True, eq=False)
class GroupRisk:
    """The chance to name the person of a record in each group, of those groups of which it can be said."""

    risk: Floats
    compared: Mask  # of which it can be said
    method: str


def attackers(
    groups: KnownGroups, sampled: Population | None, whole: Data | None, *, starred: int, few: bool
) -> list[RiskEntry]:
    """Attackers who know that a person is in the table, who do not, and who want to name many.

    The marketer's share is one of all released records, ``starred`` ones among them, of which nothing is
    known; ``few`` is whether their number is hidden.
    """
    sizes, named = groups.sizes, 1 / groups.people
    beyond = _beyond(groups, sampled, whole)
    some = beyond.compared & (beyond.risk > 0)
    prosecutor = RiskEntry(
        attacker="prosecutor",
        risk=(risk := _worst(named, groups)),
        text=f"{_said(risk, OVER)}: {KNOWN}",
        above=_above(named, sizes, starred),
    )
    if not some.any():
        why = f"not said: {NOT_COMPARED}"
        others = ("journalist", "marketer")
        return [prosecutor, *(RiskEntry(attacker=one, risk=None, text=why, above=[]) for one in others)]
    of = int(sizes[beyond.compared].sum()) + starred
    average = float((beyond.risk * sizes)[some].sum() / of)
    journalist = RiskEntry(
        attacker="journalist",
        risk=(risk := _worst(beyond.risk[some], groups)),
        text=f"{_said(risk, UNSAID if beyond.method else OVER)}: {ANYONE}{beyond.method}",
        above=_above(beyond.risk[some], sizes[some], starred),
    )
    marketer = RiskEntry(
        attacker="marketer",
        risk=(risk := unsaid_risk(average, of) if few and not starred else average),
        text=f"{_said(risk, OVER)}: {MANY}{beyond.method}",
        above=[],
    )
    return [prosecutor, journalist, marketer]


def _beyond(groups: KnownGroups, sampled: Population | None, whole: Data | None) -> GroupRisk:
    """The chance to name a person whom nobody knows to be in the table."""
    people, every = groups.people, np.ones(len(groups.people), bool)
    if whole is not None:
        fitting, compared = population_table(groups.scene, whole).fitting(groups)
        crowd = np.maximum(fitting, people)
        risk = np.where(compared & (fitting > 0), 1 / crowd, 0.0)
        return GroupRisk(risk, compared, " (counted in the population table)")
    weight = groups.scene.data.sample_weights if sampled is None else sampled.weight
    if weight is not None:
        share = people / people_by_weight(groups, weight)
        return GroupRisk(expected_reciprocal(people, share), every, " (estimated by weights)")
    fraction = None if sampled is None else sampled.share(groups.scene.before.people)  # all were drawn
    if fraction is None:
        return GroupRisk(1 / people, every, "")
    sizes, place = np.unique(people, return_inverse=True)  # groups of one size have one risk
    risk = expected_reciprocal(sizes, np.full(len(sizes), fraction))[place]
    return GroupRisk(risk, every, " (estimated from the sampled share)")


def _said(risk: float | None, unsaid: str) -> str:
    return unsaid if risk is None else percent(risk)


def _above(risk: Floats, sizes: Any, starred: int) -> list[RiskAboveEntry]:
    """The risk curve: which share of all released records has a chance to be named above some bounds."""
    of = int(sizes.sum()) + starred
    return [
        RiskAboveEntry(threshold=one, share=said_share(int(sizes[risk > one + CLOSE].sum()) / of, of))
        for one in CURVE
    ]


def _worst(risk: Any, groups: KnownGroups) -> float | None:
    """The largest risk; None where it would say how few people the smallest group has."""
    least = int(groups.people.min())
    hides = isinstance(hidden_part(least, None), str) and least > 1
    return None if hides else float(risk.max())


def assumed(scene: Scene, choices: Choices) -> str:
    """What the figures assume: which attributes the attacker knows, and what the table is a sample of."""
    keys, known = scene.table.named, [name for name in choices.known_keys if name in scene.table.named]
    of = "" if len(known) == len(keys) else f" ({many(len(known))} of {many(len(keys))} quasi-identifiers)"
    knows = f"knows {enumerated(known)} of a person" if known else "knows nothing of a person"
    return f"The attacker {knows}{of}. {_sampled(choices, scene)}"


def _sampled(choices: Choices, scene: Scene) -> str:
    """What the table is a sample of, in a sentence."""
    said = choices.population
    weight = said.get("weight", scene.data.sample_weights)
    if "source" in said:
        return f"The population is the table {Path(said['source']).name}."
    if "fraction" in said:
        return f"{percent(said['fraction'])} of the population is in the table."
    if "size" in said:
        return f"The population has {many(said['size'])} people."
    if weight is not None:
        return f"How many people a record stands for is in the attribute {weight}."
    return "Nothing says what the table is a sample of: everyone is taken to be in it."
