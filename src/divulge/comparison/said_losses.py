"""What a release lost, as far as figures do not say which value a few people had."""

from __future__ import annotations

from typing import Any

from divulge._support.small_counts import SMALL, UNSAID, exact_counts_asked, hidden, hidden_part, two_digits

_ERRORS = ("mean_squared_error", "mean_absolute_error", "mean_variation", "zeros")


def said_numbers(loss: dict[str, Any]) -> dict[str, Any]:
    """The loss over numbers: where fewer than five records differ, no error, which would be theirs.

    >>> measure = {"name": "data", "mean_absolute_error": 0.5, "zeros": 0, "undefined": None}
    >>> said_numbers({"measures": [measure], "moved": 3})["measures"][0]["mean_absolute_error"] is None
    True
    """
    few = 0 < loss["moved"] < SMALL and not exact_counts_asked()
    measures = [_without_errors(one) if few else _counted_zeros(one) for one in loss["measures"]]
    return {**_without_moved(loss), "measures": measures}


def said_categories(loss: dict[str, Any], records: int) -> dict[str, Any]:
    """The loss over categories: none where fewer than five values differ, two digits where all others do.

    >>> loss = {"entropy_loss": 0.05, "share_of_entropy": 0.02, "undefined": None, "moved": 2}
    >>> said_categories(loss, 200)["entropy_loss"] is None
    True
    """
    found = _without_moved(loss)
    names = ("entropy_loss", "share_of_entropy", "share_beyond_chance")
    said = hidden_part(loss["moved"], records)
    if not isinstance(said, str):
        return found
    if said.startswith("<"):
        return {**found, **dict.fromkeys(names), "undefined": loss["undefined"] or UNSAID}
    return {**found, **{name: two_digits(loss[name]) for name in names if loss.get(name) is not None}}


def said_distances(distances: dict[str, Any]) -> dict[str, Any]:
    """Distances of two distributions, where few people moved not so exactly that they say how few."""
    if not isinstance(distances["total_variation"], str):
        return distances
    exact = {name: distances[name] for name in ("jensen_shannon", "hellinger")}
    rough = {name: None if value is None else two_digits(value) for name, value in exact.items()}
    return {**distances, **rough, "earth_mover": None}


def said_estimate(change: dict[str, Any]) -> dict[str, Any]:
    """A correlation or a total: where fewer than five records differ, not what the release gives.

    >>> said_estimate({"original": 10.0, "released": 7.0, "undefined": None, "moved": 1})["released"] is None
    True
    """
    found = _without_moved(change)
    if not 0 < change["moved"] < SMALL or exact_counts_asked():
        return found
    names = [name for name in ("released", "difference", "relative_error") if name in found]
    return {**found, **dict.fromkeys(names), "undefined": change["undefined"] or UNSAID}


def _without_moved(loss: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in loss.items() if name != "moved"}


def _without_errors(measure: dict[str, Any]) -> dict[str, Any]:
    return {**measure, **dict.fromkeys(_ERRORS), "undefined": measure["undefined"] or UNSAID}


def _counted_zeros(measure: dict[str, Any]) -> dict[str, Any]:
    """Of the data, cells of 0 are those of people."""
    return {**measure, "zeros": hidden(measure["zeros"])} if measure["name"] == "data" else measure
