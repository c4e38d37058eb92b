"""The homogeneity attack: people alike on their quasi-identifiers may be alike on what is sensitive, too."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from divulge._support.seeds import SEED
from divulge._support.wording import enumerated, people, percent
from divulge.attacks.certainty import certain_people, everyone
from divulge.attacks.outcome import Outcome, on_average
from divulge.attacks.questions import AttackQuestion, ask, inferred
from divulge.questions.data import Data

KNOWS = "the released quasi-identifiers of someone in the release"


def homogeneity(released: Data, *, show_values: bool = False, seed: int = SEED) -> Outcome:
    """How far each quasi-identifier, and all together, determine a sensitive attribute.

    People are those whose value is certain to someone who knows all their quasi-identifiers, for the
    sensitive attribute where these are most. A suppressed cell may be anything: everyone who fits it must
    have the same value.
    """
    begun = Outcome("homogeneity", "Homogeneity attack", KNOWS)
    outcome = inferred(begun, released, show_values=show_values, seed=seed)
    if (risk := outcome.risk) is None:
        return outcome
    keys = released.schema.quasi_identifiers
    found = [_certain(ask(released, keys, target)) for target in released.schema.sensitive]
    average = on_average(outcome.details["hidden_keys"])
    outcome = replace(outcome, details={"certain": found, **outcome.details})
    told = f"One quasi-identifier gives {percent(risk)} of the information about a sensitive "
    told += f"attribute {average}."
    known = [one for one in found if one["undefined"] is None]
    if not known:
        return replace(outcome, sentence=told)
    worst = max(known, key=lambda one: one["share"])
    certain = people(worst["records"], of=worst["of"])
    return replace(
        outcome,
        people=worst["records"],
        of=worst["of"],
        sentence=f"{told} With {enumerated(keys)} known, {worst['target']} is certain for {certain}.",
    )


def _certain(asked: AttackQuestion) -> dict[str, Any]:
    """The people whose value is certain, and those among them who are not alone in their class."""
    found: dict[str, Any] = {"target": asked.target, "undefined": asked.undefined}
    if asked.undefined is not None:
        return {**found, "records": None, "of": None, "share": None, "in_company": None}
    certain, of = certain_people(asked, asked.fitting), everyone(asked)
    return {
        **found,
        "records": certain,
        "of": of,
        "share": certain / of,
        "in_company": certain_people(asked, asked.fitting, in_company=True),
    }
