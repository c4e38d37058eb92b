"""A simulation as it may be printed: targets by number, and no figure that reveals small counts."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from divulge._support.small_counts import FEW, SMALL, exact_counts_asked, hidden, hidden_among, to_tens
from divulge.safe_release.domain import label
from divulge.safe_release.state import State

UNSAID = f"fewer than {SMALL} of its records are released, or few of the others"
# What is said of a target besides its records, all of which would give their number away.
FIGURES = ("requested", "released", "deviation", "waiting", "refused", "share", "fitting")


def exposures(state: State) -> list[dict[str, Any]]:
    """How exposed each target is, without what would say that few of its records are outside.

    The critical value of a target goes by how many of its records are outside, so both figures are left
    out, and those of one more target where the others would leave the number. Whether it is safe is said.
    """
    if len(state.parts) > 1:
        found = [(part.guard.name, exposures(part)) for part in state.parts]
        return [{**one, "dependency": name} for name, said in found for one in said]
    outside = state.outside.totals.tolist()
    named = zip(state.guard.domain.targets, hidden_among(outside, sum(outside)), strict=True)
    few = [target for target, said in named if isinstance(said, str)]
    unsaid = {"value": None, "critical": None, "undefined": UNSAID}
    return [one.to_dict() | (unsaid if one.target in few else {}) for one in state.exposures()]


def numbered(targets: Sequence[object], *, show_values: bool) -> dict[object, str]:
    """What stands for each target: its number, or its name where values may be shown."""
    return {
        target: label(target) if show_values else f"target {place}"
        for place, target in enumerate(targets, start=1)
    }


def printable(document: Mapping[str, Any], *, show_values: bool = False) -> Any:
    """The document without the values of records, unless asked for, and without counts below five."""
    names = numbered(document["targets"], show_values=show_values)
    records = [one["records"] for one in document["by_target"]]
    found = _printable(document, names, _printed(records), show_values)
    if "also" in document:
        found["also"] = [printable(one, show_values=show_values) for one in document["also"]]
    if "each" in document:
        found["each"] = [_printable(one, names, _printed(records), show_values) for one in document["each"]]
    return found


def _printed(records: Sequence[int]) -> list[int | str]:
    """The records of each target as they may be said.

    Those below five follow from the total and the others. Where they are fewer than five together, the
    smallest of the others is not said either.

    >>> _printed([199, 1]), _printed([90, 30, 1]), _printed([90, 30, 3, 3]), _printed([90, 30])
    (['>195', '<5'], [90, '>4', '<5'], [90, 30, '<5', '<5'], [90, 30])
    """
    shown = [hidden(count) for count in records]
    few = [count for count, text in zip(records, shown, strict=True) if isinstance(text, str)]
    known = [place for place, text in enumerate(shown) if isinstance(text, int) and text > 0]
    if 0 < sum(few) < SMALL and known:
        place = min(known, key=lambda place: records[place])
        whole = records[place] + sum(few) == sum(records)
        shown[place] = hidden(records[place], of=sum(records)) if whole else f">{SMALL - 1}"
    return shown


def _parts(targets: Sequence[Mapping[str, Any]], records: Sequence[int | str]) -> list[dict[str, Any]]:
    """The targets without figures where their records are hidden, otherwise without parts of few records.

    What waits or is refused is not what the other targets leave of all, and what was released is said to the
    nearest ten where one of these parts is hidden: it would be what it leaves of the requests.
    """
    held = {
        part: hidden_among([one[part] for one in targets], sum(one[part] for one in targets))
        for part in ("waiting", "refused", "fitting")
    }
    found = []
    for place, (one, count) in enumerate(zip(targets, records, strict=True)):
        parts: dict[str, Any] = {part: said[place] for part, said in held.items()}
        hides = [part for part in ("waiting", "refused") if isinstance(parts[part], str)]
        if hides:
            few = sum(one[part] for part in hides if parts[part] == FEW)
            parts |= {"released": to_tens(one["released"] + few), "share": None, "deviation": None}
        unsaid = dict.fromkeys(FIGURES) if isinstance(count, str) else {}
        found.append({**one, **parts, "records": count, **unsaid})
    return found


def _printable(
    document: Mapping[str, Any], names: Mapping[object, str], records: Sequence[int | str], show_values: bool
) -> Any:
    kept: dict[str | None, bool] = dict(
        zip(document["targets"], (isinstance(one, int) for one in records), strict=True)
    )
    by_target = _parts(document["by_target"], records)
    released = zip(document["released_by_target"], (one["released"] for one in by_target), strict=True)
    pictures: dict[str, Any] = {}
    if "histograms" in document:
        pictures = {
            "histograms": _histograms(document, names, kept, show_values),
            "statistics": [
                {**one, "target": names.get(one["target"])}
                for one in document["statistics"]
                if kept.get(one["target"], True)
            ],
        }
    return {
        **document,
        **pictures,
        "shows_values": show_values,
        "targets": [names[name] for name in document["targets"]],
        "released_by_target": {names[name]: mean for name, mean in released},
        "by_target": [{**one, "target": names[one["target"]]} for one in by_target],
        "evolution": [
            {
                **moment,
                "exposures": [
                    {**one, "target": names.get(one["target"])}
                    for one in moment["exposures"]
                    if kept.get(one["target"], True)
                ],
            }
            for moment in document["evolution"]
        ],
    }


def _histograms(
    document: Mapping[str, Any],
    names: Mapping[object, str],
    kept: Mapping[str | None, bool],
    show_values: bool,
) -> dict[str, Any]:
    """Histograms to the nearest ten records, of targets that may be told apart; values by number."""
    found = document["histograms"]
    return {
        "groups": [
            {
                **one,
                "values": one["values" if show_values else "numbers"],
                "expected": _tens(one["expected"] * document["records"]) / document["records"],
            }
            for one in found["groups"]
        ],
        "targets": [
            {
                "target": names[one["target"]],
                **{part: [_tens(count) for count in one[part]] for part in ("records", "released")},
            }
            for one in found["targets"]
            if kept[one["target"]]
        ],
    }


def released_by_cell(simulation: Any, *, show_values: bool = False) -> list[list[Any]]:
    """What was released of each value and target on average, to the nearest ten; the first row is the head.

    Targets of fewer than five records are left out.
    """
    domain, counts = simulation.table.domain, simulation.by_cell
    records = simulation.table.counts.sum(axis=0).tolist()
    names = numbered(domain.targets, show_values=show_values)
    kept = [y for y, said in enumerate(_printed(records)) if isinstance(said, int)]
    head = [", ".join(domain.x), *(names[domain.targets[y]] for y in kept)]
    return [
        head,
        *(
            [label(value) if show_values else f"value {x + 1}", *(_tens(float(counts[x, y])) for y in kept)]
            for x, value in enumerate(domain.values)
        ),
    ]


def _tens(count: float) -> float:
    """A count to the nearest ten, which does not say how few there are; exact where that was asked for.

    >>> _tens(3), _tens(27.4)
    (0.0, 30.0)
    """
    return count if exact_counts_asked() else 10.0 * math.floor(count / 10 + 0.5)
