"""The observations that tell most; those that very few records of a table make are told as one."""

from __future__ import annotations

from typing import Any

import numpy as np

from divulge._support.small_counts import SMALL, hidden, hidden_among
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
    times = [round(float(found.probabilities[place]) * (records or 0)) for place in order]
    few = [place for place, count in zip(order, times, strict=True) if isinstance(hidden(count), str)]
    kept = [place for place in order if place not in set(few)]
    lines = [
        {
            "label": str(found.outputs[place]) if show_values else f"observation {rank}",
            "probability": float(found.probabilities[place]),
            "privacy": float(found.conditional[place]),
            "estimate": str(found.estimates[place]) if show_values else None,
            "ties": len(found.ties[place]),
        }
        for rank, place in enumerate(kept[:MOST_LINES], 1)
    ]
    if records is None or not few:
        return lines
    return [_folded(found, few, records), *_without_difference(lines, found, kept, few, records)]


def _folded(found: Privacy, few: list[int], records: int) -> dict[str, Any]:
    """One line for all of few records; neither how probable nor what is left where that says how many."""
    probability = float(found.probabilities[few].sum())
    said = isinstance(hidden(round(probability * records)), int)
    left = float(found.probabilities[few] @ found.conditional[few]) / probability
    return {
        "label": OTHERS,
        "probability": probability if said else None,
        "privacy": left if said else None,
        "estimate": None,
        "ties": 0,
    }


def _without_difference(
    lines: list[dict[str, Any]], found: Privacy, kept: list[int], few: list[int], records: int
) -> list[dict[str, Any]]:
    """The lines, the least probable one rounded where the others would leave what is not said."""
    rest = round(float(found.probabilities[few].sum()) * records)
    times = [round(float(found.probabilities[place]) * records) for place in kept[:MOST_LINES]]
    shown = hidden_among([rest, *times], records)[1:]
    return [
        {**line, "probability": int(said[1:]) / records, "privacy": round(line["privacy"], 2)}
        if isinstance(said, str)
        else line
        for line, said in zip(lines, shown, strict=True)
    ]


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
