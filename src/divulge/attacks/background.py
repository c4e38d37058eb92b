"""The background knowledge attack: how much more an attacker would have to know, and what little would do."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from divulge._support.seeds import SEED
from divulge._support.wording import enumerated, people, percent
from divulge.attacks.certainty import certain_people, everyone
from divulge.attacks.homogeneity import KNOWS
from divulge.attacks.outcome import AttackReading, Outcome, on_average
from divulge.attacks.questions import AttackQuestion, ask, inferred
from divulge.counting.counts import JointCounts
from divulge.questions.data import Data

MOST = 5  # values that an attacker is taken to be able to rule out


def background_knowledge(
    released: Data, *, most: int = MOST, show_values: bool = False, seed: int = SEED
) -> Outcome:
    """What stays unknown, 1 - DR, and what an attacker learns by ruling out some sensitive values.

    For 0, 1, 2 and up to ``most`` values that the attacker can rule out: the people whose value is then
    certain in the worst case, and the most certain guess. People are those certain once one is ruled out.
    A suppressed cell may be anything: everyone who fits it is a candidate.
    """
    begun = Outcome(
        "background_knowledge", "Background knowledge attack", f"{KNOWS}, and values they cannot have"
    )
    outcome = inferred(begun, released, show_values=show_values, seed=seed)
    if (risk := outcome.risk) is None:
        return outcome
    keys = released.schema.quasi_identifiers
    details: dict[str, Any] = {
        "lacks": [_lacks(one) for one in outcome.readings],
        "ruling_out": [_ruling_out(ask(released, keys, name), most) for name in released.schema.sensitive],
        **outcome.details,
    }
    outcome = replace(outcome, details=details)
    average = on_average(details["hidden_keys"])
    said = (
        f"{percent(1 - risk)} of the information about a sensitive attribute stays unknown with one "
        f"quasi-identifier, {average}."
    )
    known = [one for one in details["ruling_out"] if one["undefined"] is None]
    if not known:
        return replace(outcome, sentence=said)
    worst = max(known, key=lambda one: _after_one(one)["share"])
    certain = _after_one(worst)["records"]
    whom = f"up to {people(certain, of=worst['of'])}" if certain else "nobody"
    return replace(
        outcome,
        people=certain,
        of=worst["of"],
        sentence=f"{said} With {enumerated(keys)} known and one value ruled out, {worst['target']} is "
        f"certain for {whom}.",
    )


def _lacks(one: AttackReading) -> dict[str, Any]:
    """What a reading leaves unknown: one minus the discrimination rate."""
    rate = one.discrimination_rate
    return {
        "keys": list(one.keys),
        "target": one.target,
        "lacks": None if rate is None else 1 - rate,
        "undefined": one.undefined,
        "values": [
            {"label": line.label, "lacks": None if (known := line.discrimination_rate) is None else 1 - known}
            for line in one.values
        ],
    }


def _ruling_out(asked: AttackQuestion, most: int) -> dict[str, Any]:
    """The steps from ruling nothing out to ruling several values out, until nothing is left open."""
    if asked.undefined is not None:
        return {"target": asked.target, "of": None, "steps": [], "undefined": asked.undefined}
    counts, of = asked.fitting, everyone(asked)
    steps = []
    for n, posterior in enumerate(worst_posteriors(counts, most)):
        certain = certain_people(asked, counts, n)
        steps.append({"values": n, "records": certain, "share": certain / of, "worst_posterior": posterior})
        if certain == of:
            break
    return {"target": asked.target, "of": of, "steps": steps, "undefined": None}


def _after_one(found: dict[str, Any]) -> dict[str, Any]:
    """The step of one value ruled out; the last where there was none to rule out."""
    return found["steps"][min(1, len(found["steps"]) - 1)]


def worst_posteriors(counts: JointCounts, most: int) -> list[float]:
    """The most certain guess in any class once 0, 1, ... and ``most`` other values are ruled out.

    The most helpful values to rule out are those that are most frequent after the guess itself.
    """
    assert counts.cells is not None
    cells = counts.cells
    order = np.lexsort((-cells.weight, cells.owner))
    weight = cells.weight[order].astype(np.float64)
    first = weight[cells.start[:-1]]
    rank = np.arange(len(weight)) - cells.start[:-1][cells.owner]
    left = (cells.per_class(np.where(rank > n, weight, 0.0)) for n in range(most + 1))
    return [float((first / (first + tail)).max()) for tail in left]
