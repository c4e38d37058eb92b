"""The skewness attack: a class may hold a sensitive value far more often than the whole table does."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from divulge._support.seeds import SEED
from divulge._support.wording import many, number, records
from divulge.alignment.tables import Alignment
from divulge.attacks.homogeneity import KNOWS
from divulge.attacks.original_frequencies import beside
from divulge.attacks.outcome import Outcome
from divulge.attacks.questions import NO_TARGETS, AttackQuestion, ask, ask_alone, infer, lacking
from divulge.attacks.suppression.suppressed_cells import least_distances
from divulge.errors import Undefined
from divulge.questions.data import Data

DOUBLED = 2.0


def skewness(alignment: Alignment, *, show_values: bool = False, seed: int = SEED) -> Outcome:
    """What the release reveals about a sensitive attribute beyond the original table as a whole.

    Two views: the discrimination rate of each key before and after, and how far the values of the most
    unusual group are from those of the original. The risk is the largest such distance (total variation,
    t-closeness with equal distances). People are records whose own value the release makes at least
    twice as likely as the original did, for the sensitive attribute where these are most. Where suppressed
    cells make others fit a group, both hold for any choice of its members: each record's own share
    can only fall when a cell is suppressed, and so can the number of those beyond a bound.
    """
    outcome = Outcome(
        "skewness", "Skewness attack", f"{KNOWS}, and how frequent sensitive values are in the original"
    )
    original, released = alignment.original, alignment.released
    reason = lacking(released)
    if reason is not None:
        return outcome.failed(reason)
    pairs = {name: alignment.columns[name] for name in original.schema.sensitive if name in alignment.columns}
    if not pairs:
        return outcome.failed(NO_TARGETS)
    readings = infer(released, list(pairs.values()), show_values=show_values, seed=seed)
    keys = released.schema.quasi_identifiers
    shifts = [_shift(original, name, ask(released, keys, target)) for name, target in pairs.items()]
    details = {"differences": _differences(alignment, pairs), "shifts": shifts}
    found = [one for one in shifts if one["undefined"] is None]
    if not found:
        return outcome.failed("; ".join(dict.fromkeys(one["undefined"] for one in shifts)), readings)
    worst = max(found, key=lambda one: one["distance"])
    most = max(found, key=lambda one: (one["records"] or 0, one is worst))
    return replace(
        outcome,
        risk=worst["distance"],
        people=most["records"],
        of=most["of"],
        readings=readings,
        details=details,
        sentence=_sentence(worst, most),
    )


def _differences(alignment: Alignment, pairs: dict[str, str]) -> list[dict[str, Any]]:
    """The discrimination rate of each key in the original and in the release, and how much it has fallen."""
    original, released = alignment.original, alignment.released
    found = []
    for name, target in pairs.items():
        for key in original.schema.quasi_identifiers:
            counterpart = alignment.columns.get(key)
            before = ask_alone(original, key, name).rate
            after = None if counterpart is None else ask_alone(released, counterpart, target).rate
            difference = None if before is None or after is None else before - after
            line = {"original": key, "released": counterpart, "target": name}
            found.append({**line, "before": before, "after": after, "difference": difference})
    return found


def _shift(original: Data, name: str, asked: AttackQuestion) -> dict[str, Any]:
    """How far the values of classes lie from those of the original table, at most."""
    found: dict[str, Any] = {
        "target": asked.target,
        "distance": None,
        "ratio": None,
        "records": None,
        "of": None,
    }
    try:
        before = _shares(original, name, asked)
    except Undefined as undefined:
        return {**found, "unseen_values": None, "undefined": undefined.message}
    cells = asked.cells
    prior = before[cells.target]
    distance = least_distances(cells.owner, cells.surely, cells.perhaps, prior)
    share = cells.least_share
    ratio = np.divide(share, prior, out=np.zeros_like(share), where=prior > 0)
    doubled = (ratio > DOUBLED - 1e-9) * cells.records
    return {
        **found,
        "distance": float(distance.max(initial=0.0)),
        "ratio": float(ratio.max(initial=0.0)),
        # In classes that overlap for missing values a record would count more than once.
        "records": None if asked.counts.overlapping else int(doubled.sum()),
        "of": asked.of,
        "unseen_values": int((before == 0).sum()),
        "undefined": None,
    }


def _shares(original: Data, name: str, asked: AttackQuestion) -> npt.NDArray[np.float64]:
    """The share in the original of each target value of the release; 0 for one that it does not have."""
    before = beside(original, name, asked.question.data, asked.target)
    if before.undefined is not None and before.ambiguous:
        raise Undefined(before.undefined)
    weight = before.aligned(asked.counts.target_values).weight
    shares: npt.NDArray[np.float64] = weight[: len(asked.counts.target_values)] / weight.sum()
    if not shares.any():
        raise Undefined(f"no released value of {name} occurs in the original")
    return shares


def _sentence(worst: dict[str, Any], most: dict[str, Any]) -> str:
    ratio = worst["ratio"]
    times = many(round(ratio)) if ratio >= 10 else number(round(ratio, 1))
    unusual = f"In the most unusual group a value of {worst['target']}"
    said = f"{unusual} is {times} times as frequent as in the original table"
    if most["records"] is None:
        return f"{said}."
    doubled, of = records(most["records"], of=most["of"]), "" if most is worst else f" of {most['target']}"
    return f"{said}; the release makes the true value{of} at least twice as likely for {doubled}."
