"""The homogeneity attack: people alike on their quasi-identifiers may be alike on what is sensitive, too."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from divulge.attacks.asking import Asked, ask, infer, lacking, suppressed_keys
from divulge.attacks.outcome import Outcome, mean_rate, on_average, told_by_others, why
from divulge.chance import SEED
from divulge.counts import JointCounts
from divulge.data import Data
from divulge.statistics import CERTAIN, DISTINCT
from divulge.wording import enumerated, percent, records

KNOWS = "the released quasi-identifiers of someone in the release"


def homogeneity(released: Data, *, show_values: bool = False, seed: int = SEED) -> Outcome:
    """How far each quasi-identifier, and all together, narrow a sensitive attribute down.

    People are records whose value is certain to someone who knows all their quasi-identifiers, for the
    sensitive attribute where these are most.
    """
    outcome = Outcome("homogeneity", "Homogeneity attack", KNOWS)
    reason = lacking(released)
    if reason is not None:
        return outcome.failed(reason)
    keys, targets = released.schema.quasi_identifiers, released.schema.sensitive
    readings = infer(released, targets, show_values=show_values, seed=seed)
    hidden = suppressed_keys(released)
    risk = mean_rate(readings, hidden)
    if risk is None or mean_rate(readings) is None:
        return outcome.failed(why(readings), readings)
    found = [_certain(ask(released, keys, target)) for target in targets]
    details = {"certain": found, **told_by_others(readings, hidden)}
    outcome = replace(outcome, risk=risk, readings=readings, details=details)
    average = on_average(hidden)
    told = f"A quasi-identifier tells {percent(risk)} of a sensitive attribute {average}."
    known = [one for one in found if one["undefined"] is None]
    if not known:
        return replace(outcome, sentence=told)
    worst = max(known, key=lambda one: one["share"])
    certain = records(worst["records"], of=worst["of"])
    return replace(
        outcome,
        people=worst["records"],
        of=worst["of"],
        sentence=f"{told} Whoever knows {enumerated(keys)} is certain of {worst['target']} for {certain}.",
    )


def certain_records(counts: JointCounts, ruled_out: int = 0) -> int:
    """Records in classes with at most so many values besides the right one."""
    if ruled_out == 0:
        return int(counts.over_records(CERTAIN))
    return int(counts.add_up((counts.statistic(DISTINCT) <= ruled_out + 1) * counts.members))


def _certain(asked: Asked) -> dict[str, Any]:
    """The records whose value is certain, and those among them that do not stand alone."""
    found: dict[str, Any] = {"target": asked.target, "undefined": asked.undefined}
    if asked.undefined is not None:
        return {**found, "records": None, "of": None, "share": None, "in_company": None}
    counts = asked.counts
    certain = certain_records(counts)
    together = (counts.statistic(DISTINCT) == 1) & (counts.size > 1)
    return {
        **found,
        "records": certain,
        "of": counts.records,
        "share": certain / counts.records,
        "in_company": int(counts.add_up(together * counts.members)),
    }
