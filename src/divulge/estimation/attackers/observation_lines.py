"""The error after each observation, as an account lists it; those that very few records make are one line."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from divulge._support.small_counts import (
    SMALL,
    blurred,
    exact_counts_asked,
    given_away,
    hidden,
    hidden_among,
    said_share,
    sum_says_few,
)
from divulge.estimation.attackers.moved_beliefs import MovedBeliefs
from divulge.estimation.channels.privacy import Privacy
from divulge.estimation.channels.written_names import written

MOST_LINES = 50
ROUNDING = 1e-9  # errors no further apart, in parts of the largest, are the same
BINS = (10, 5, 2, 1)  # as many as leave none with very few records
OTHERS = f"other observations (fewer than {SMALL} records each)"
#: What is said of an observation beside its error: of a table it would say how many records have each value.
BESIDE = (
    *("candidates", "divergence", "total_variation"),
    *("gained", "gained_at_most", "gained_by_divergence"),
)


def observation_lines(
    found: Privacy,
    candidates: npt.NDArray[np.int64],
    moved: MovedBeliefs | None,
    *,
    show_values: bool,
    records: int | None = None,
) -> list[dict[str, Any]]:
    """The observations that tell most, the attacker's estimate beside each if values may be shown.

    ``records`` says how many records a table had, whose observations of fewer than five are one line.
    """
    times, few, kept = _times(found, records)
    beside = records is None or exact_counts_asked()
    lines = [
        {
            "label": written(found.outputs[place]) if show_values else f"observation {rank}",
            "probability": float(found.probabilities[place]),
            "privacy": float(found.conditional[place]),
            "estimate": written(found.estimates[place]) if show_values else None,
            "ties": len(found.ties[place]),
            **dict.fromkeys(BESIDE),
            **({"candidates": int(candidates[place])} if beside else {}),
            **(moved.entry(place) if beside and moved is not None else {}),
        }
        for rank, place in enumerate(kept, 1)
    ]
    if records is None:
        return lines
    shown = _shown(found, records)
    said = [_said(line, shown[place], records) for line, place in zip(lines, kept, strict=True)]
    return [_folded(found, few, [times[place] for place in few]), *said] if few else said


def _times(found: Privacy, records: int | None) -> tuple[dict[int, int], list[int], list[int]]:
    """How many records make each observation, those of few records, and the others as far as they are listed.

    What tells most is first.
    """
    order = [
        place for place in np.argsort(found.conditional, kind="stable") if found.probabilities[place] > 0
    ]
    times = {place: round(float(found.probabilities[place]) * (records or 0)) for place in order}
    few = [place for place in order if isinstance(hidden(times[place]), str)]
    folded = {*few}
    return times, few, [place for place in order if place not in folded][:MOST_LINES]


def _shown(found: Privacy, records: int) -> dict[int, int | str]:
    """The records of each observation that is listed, as they may be said."""
    times, few, kept = _times(found, records)
    places = (*few, *kept)
    return dict(zip(places, hidden_among([times[place] for place in places], records), strict=True))


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
        **dict.fromkeys(BESIDE),
    }


def _said(line: dict[str, Any], count: int | str, records: int) -> dict[str, Any]:
    """The line of so many records, without what would say how few of them are guessed wrong, or right.

    Where their number is rounded, because the others would leave what is not said, so is what is left.
    """
    if isinstance(count, int):
        return {**line, "privacy": said_share(line["privacy"], count)}
    about = int(count[1:])
    return {**line, "probability": about / records, "privacy": blurred(line["privacy"], about)}


def error_bins(found: Privacy, records: int | None = None) -> list[dict[str, float]]:
    """How much probability lies on observations of about the same conditional privacy.

    Of a table there are as many bins as do not give away what is hidden of the observations in them.
    """
    seen = found.probabilities > 0
    values, weights = found.conditional[seen], found.probabilities[seen]
    least, most = float(values.min()), float(values.max())
    if most - least <= ROUNDING * most:
        return [{"low": least, "high": most, "probability": float(weights.sum())}]
    for bins in BINS:
        mass, edges = np.histogram(values, bins=bins, range=(least, most), weights=weights)
        if records is None or not _gives_away(found, edges, records):
            break
    return [
        {"low": float(low), "high": float(high), "probability": float(one)}
        for low, high, one in zip(edges, edges[1:], mass, strict=False)
    ]


def _gives_away(found: Privacy, edges: npt.NDArray[Any], records: int) -> bool:
    """Whether the records in a bin are few, or leave what is not said of the observations in it."""
    times, shown = _times(found, records)[0], _shown(found, records)
    last = len(edges) - 2
    bins = np.minimum(np.searchsorted(edges, found.conditional, side="right") - 1, last)
    for one in range(last + 1):
        inside = [place for place in times if bins[place] == one]
        counts, said = [times[place] for place in inside], [shown.get(place) for place in inside]
        if last and (isinstance(hidden(sum(counts)), str) or sum_says_few(counts, said)):
            return True
    return False
