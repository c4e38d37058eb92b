"""Readings side by side: the original's, then each release's, and whether risk fell."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from divulge.comparison.compared_readings import OF_RECORDS, OF_TARGETS
from divulge.measures import Measure, get

State = dict[str, Any]
NOT_COMPARABLE = "not comparable"


def changes(
    original: State,
    releases: Sequence[State | None],
    changed: Sequence[bool] | None = None,
    exchanged: Sequence[bool] | None = None,
) -> list[dict[str, Any]]:
    """One line for each reading, with a word for what became of the risk in each release.

    Where released values were ``changed``, readings of values as they stand say nothing about the people of
    the original, and are not comparable; the average risk is counted against the truth, and is. Where only
    sensitive values were ``exchanged``, that holds for readings about these.
    """
    lines, none = _lines(original, releases), [False] * len(releases)
    for line in lines:
        if line["measure"] != "reidentification_risk":
            about_values = (exchanged or none) if line["target"] is not None else none
            other = [one or two for one, two in zip(changed or none, about_values, strict=True)]
            line["risk"] = [
                NOT_COMPARABLE if differs else word for word, differs in zip(line["risk"], other, strict=True)
            ]
    return lines


def said_changes(lines: list[dict[str, Any]], said: Sequence[State | None]) -> list[dict[str, Any]]:
    """The lines with the readings of the original and of each release about records as they may be said."""
    names = {measure: name for name, (measure, _) in OF_RECORDS.items()}
    for line in lines:
        if line["target"] is None:
            name = names[line["measure"]]
            line["original"], *line["releases"] = [None if one is None else one[name] for one in said]
    return lines


def _lines(original: State, releases: Sequence[State | None]) -> list[dict[str, Any]]:
    lines = [
        _line(get(measure), None, original[name], [None if one is None else one[name] for one in releases])
        for name, (measure, _) in OF_RECORDS.items()
    ]
    for target, readings in original["targets"].items():
        for name in OF_TARGETS:
            after = [_of_target(one, target, name) for one in releases]
            lines.append(_line(get(name), target, readings[name], after))
    return lines


def _of_target(state: State | None, target: str, name: str) -> float | None:
    """A reading of a target, which the release may have under another name."""
    if state is None:
        return None
    return state["targets"].get(target, {}).get(name)


def _line(
    measure: Measure, target: str | None, before: float | None, after: Sequence[float | None]
) -> dict[str, Any]:
    return {
        "measure": measure.name,
        "what": measure.title,
        "target": target,
        "riskier": measure.riskier,
        "original": before,
        "releases": list(after),
        "risk": [_word(measure, before, value) for value in after],
    }


def _word(measure: Measure, before: float | None, after: float | None) -> str:
    if before is None or after is None:
        return NOT_COMPARABLE
    if measure.worse(after, than=before):
        return "higher"
    return "lower" if measure.worse(before, than=after) else "same"
