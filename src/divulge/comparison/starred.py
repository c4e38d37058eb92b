"""Readings of all keys together where cells are suppressed: a star fits any value, as for the attacks."""

from __future__ import annotations

from typing import Any

import numpy as np

from divulge.attacks.asking import Asked
from divulge.attacks.hidden import least_distances
from divulge.counts import JointCounts
from divulge.errors import Undefined
from divulge.measures import get
from divulge.question import Question
from divulge.statistics import RISK, xlog2x

NOT_COMPARED = (
    "suppressed cells fit too many records, or people have several records, so who fits is not counted"
)
NO_MAXIMUM = (
    "suppressed cells fit any value, so groups of records overlap and their riskiest value is not defined"
)
NO_CHANCE = "suppressed cells fit any value, so groups of records overlap and chance is not measured"


def starred(question: Question) -> Asked | None:
    """The question as attacks ask it, where some keys of some records are suppressed, or None."""
    if question.rows_at_hand is None:
        return None
    asked = Asked(question)
    if asked.undefined is not None or asked.counts.overlapping:
        return None
    codes = question.suppressed_codes()
    shown = any(np.isin(question.column(key).codes, marks).any() for key, marks in codes.items())
    return asked if shown else None


def average_risk(question: Question) -> float | None:
    """The share of all records that linking them names right: what the marketer gets."""
    asked = Asked(question)
    try:
        counts = question.counts if question.rows_at_hand is None else asked.fitting
        return counts.over_records(RISK) / (counts.records + question.suppressed_records)
    except Undefined:
        return None


def of_records(asked: Asked) -> dict[str, Any]:
    """How many records fit each record, and what that tells about who is who."""
    wide, why = asked.fitting, {"itpr": NO_MAXIMUM}
    if not wide.overlapping:
        names = ("k", "uniqueness", "discrimination_rate", "itpr")
        return dict.fromkeys(names) | {"undefined": dict.fromkeys(names, NOT_COMPARED)}
    everyone = asked.of
    told = (wide.members * np.log2(everyone / wide.size)).sum()
    whole = xlog2x(np.asarray([everyone]))[0]
    return {
        "k": get("k_anonymity").compute(wide, {}),
        "uniqueness": get("uniqueness").compute(wide, {}) * wide.records / everyone,
        "discrimination_rate": float(told / whole) if everyone > 1 else None,
        "itpr": None,
        "undefined": why,
    }


def of_target(asked: Asked) -> dict[str, Any]:
    """What those who fit a record have in common of a sensitive attribute."""
    wide = asked.fitting
    if not wide.overlapping:
        names = ("discrimination_rate", "itpr", "distinct_l_diversity", "t_closeness", "adjusted")
        return dict.fromkeys(names) | {
            "undefined": dict.fromkeys(names, NOT_COMPARED),
            "t_closeness_undefined": NOT_COMPARED,
        }
    found: dict[str, Any] = {
        "discrimination_rate": _told(asked, wide),
        "itpr": None,
        "distinct_l_diversity": get("distinct_l_diversity").compute(wide, {}),
        "adjusted": None,
        "undefined": {"itpr": NO_MAXIMUM, "adjusted": NO_CHANCE},
    }
    try:
        return found | {"t_closeness": _furthest(asked)}
    except Undefined as undefined:
        return found | {"t_closeness": None, "t_closeness_undefined": undefined.message}


def _told(asked: Asked, wide: JointCounts) -> float:
    """1 - H(X | who fits) / H(X), the mean over all records; those without any shown key are told nothing."""
    exact = asked.question.classes
    assert wide.cells is not None
    assert exact.cells is not None
    owner, weight = wide.cells.owner, wide.cells.weight.astype(np.float64)
    total = np.bincount(owner, weights=weight)
    left = np.log2(total) - np.bincount(owner, weights=xlog2x(weight)) / total
    own = np.bincount(exact.cells.owner, weights=exact.cells.weight)
    counted = float((own * (wide.entropy - left)).sum() / (own.sum() * wide.entropy))
    return max(counted, 0.0) * exact.records / asked.of


def _furthest(asked: Asked) -> float:
    """The largest of the least distances that classes have from the table they are compared with."""
    counts, beside = asked.counts, asked.question.beside
    weight = counts.target_weight
    if beside is not None:
        if beside.undefined is not None:
            raise Undefined(beside.undefined)
        weight = beside.aligned(counts.target_values).weight
    cells = asked.cells
    prior = (weight / weight.sum())[cells.target]
    return float(least_distances(cells.owner, cells.surely, cells.perhaps, prior).max(initial=0.0))
