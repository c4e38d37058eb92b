"""The observations that tell most; those that very few records of a table make are told as one."""

from __future__ import annotations

from typing import Any

import numpy as np

from divulge._support.small_counts import SMALL, blurred, given_away, hidden, hidden_among, said_share
from divulge.estimation.channels.privacy import Privacy

MOST_LINES = 50
BINS = (10, 5, 2, 1)  # as many as leave none with very few records
OTHERS = f"other observations (fewer than {SMALL} records each)"


def observations(found: Privacy, show_values: bool, records: int | None = None) -> list[dict[str, Any]]:
    """The observations that tell most, the attacker's estimate beside each if values may be shown.

    ``records`` says how many records a table had, whose observations of fewer than five are one line.
    """
    order = [
        place for place in np.argsort(found.conditional, kind="stable") if found.probabilities[place] > 0
    ]
    times = {place: round(float(found.probabilities[place]) * (records or 0)) for place in order}
    few = [place for place in order if isinstance(hidden(times[place]), str)]
    kept = [place for place in order if place not in set(few)][:MOST_LINES]
    lines = [
        {
            "label": str(found.outputs[place]) if show_values else f"observation {rank}",
            "probability": float(found.probabilities[place]),
            "privacy": float(found.conditional[place]),
            "estimate": str(found.estimates[place]) if show_values else None,
            "ties": len(found.ties[place]),
        }
        for rank, place in enumerate(kept, 1)
    ]
    if records is None:
        return lines
    shown = hidden_among([times[place] for place in (*few, *kept)], records)[len(few) :]
    said = [_said(line, count, records) for line, count in zip(lines, shown, strict=True)]
    return [_folded(found, few, [times[place] for place in few]), *said] if few else said


def _folded(found: Privacy, few: list[int], times: list[int]) -> dict[str, Any]:
    """One line for all of few records; neither how probable nor what is left where that says how many."""
    probability = float(found.probabilities[few].sum())
    left = float(found.probabilities[few] @ found.conditional[few]) / probability
    told = given_away(times)
    return {
        "label": OTHERS,
        "probability": None if told else probability,
        "privacy": None if told else blurred(left, sum(times)),
        "estimate": None,
        "ties": 0,
    }


def _said(line: dict[str, Any], count: int | str, records: int) -> dict[str, Any]:
    """The line of so many records, without what would say how few of them are guessed wrong, or right.

    Where their number is rounded, because the others would leave what is not said, so is what is left.
    """
    if isinstance(count, int):
        return {**line, "privacy": said_share(line["privacy"], count)}
    about = int(count[1:])
    return {**line, "probability": about / records, "privacy": blurred(line["privacy"], about)}


def distribution(found: Privacy, records: int | None = None) -> list[dict[str, float]]:
    """How much probability lies on observations of about the same conditional privacy."""
    seen = found.probabilities > 0
    values, weights = found.conditional[seen], found.probabilities[seen]
    top = max(float(values.max()), found.prior)
    top = top if top > np.finfo(np.float64).tiny * BINS[0] else 1.0
    for bins in BINS:
        mass, edges = np.histogram(values, bins=bins, range=(0.0, top), weights=weights)
        times = [round(float(one) * (records or 0)) for one in mass]
        if not any(isinstance(hidden(count), str) for count in times):
            break
    return [
        {"low": float(low), "high": float(high), "probability": float(one)}
        for low, high, one in zip(edges, edges[1:], mass, strict=False)
    ]
