"""Record linkage as lines on a terminal."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from divulge._support.wording import aligned, in_words, many, number, percent, said_in_percent
from divulge.errors import counted

Document = Mapping[str, Any]


def page(document: Document) -> list[str]:
    """The document of a linkage: by distance, by intervals, by agreement, and what links tell."""
    of = document["records"]
    return [
        f"{document['released']}: {counted(of['released'], 'record')}, linked with {many(of['original'])} of "
        f"{document['original']}",
        f"  By {', '.join(f'{name} ({kind})' for name, kind in document['keys'].items())}",
        "",
        *_distance(document["distance"]),
        *_interval(document["interval"]),
        *_probabilistic(document["probabilistic"]),
        *(line for one in document["inference"] for line in _inference(one)),
        *_synthetic(document.get("synthetic")),
        *(f"Note: {note}" for note in document["notes"]),
    ]


def _links(links: float | str) -> str:
    return in_words(links) if isinstance(links, str) else number(round(links, 1))


def _distance(found: Document) -> list[str]:
    if found["undefined"] is not None:
        return [
            f"By distance: not measured, since {found['undefined']}.",
            "  Released records with the values of an original one: "
            + said_in_percent(found["equal_to_an_original"]),
        ]
    return [
        f"By distance: {said_in_percent(found['share'])} linked to their original",
        f"  At random: {percent(found['chance'])}",
        f"  Right links expected at the nearest record: {_links(found['linked'])} of {many(found['of'])}, "
        f"at the second nearest: {_links(found['linked_second'])} (ties shared)",
        f"  Records whose original is further away: {in_words(found['not_linked'])}",
    ]


def _interval(found: Document | None) -> list[str]:
    if found is None:
        return []
    unit = "of all ranks" if found["by"] == "rank" else "standard deviations"
    width = percent(found["width"]) if found["by"] == "rank" else number(found["width"])
    rows = [[name, said_in_percent(share)] for name, share in found["inside"].items()]
    rows += [["all at once", said_in_percent(found["all"])]] if len(rows) > 1 else []
    return [
        "",
        f"By interval: original values within {width} {unit} of the released one",
        *aligned(["attribute", "inside"], rows, right=(1,)),
    ]


def _probabilistic(found: Document) -> list[str]:
    if found["undefined"] is not None:
        return ["", f"By agreement: undefined, since {found['undefined']}."]
    rows = [[name, number(found["m"][name]), number(found["u"][name])] for name in found["m"]]
    lines = ["", f"By agreement (Fellegi and Sunter, {many(round(found['pairs']))} pairs)"]
    if "share" in found:
        linked, chance = said_in_percent(found["share"]), percent(found["chance"])
        lines.append(f"  {linked} linked to their original (at random {chance})")
    return [*lines, *aligned(["attribute", "m", "u"], rows, right=(1, 2))]


def _synthetic(found: list[Document] | None) -> list[str]:
    """Attacks on synthetic data, those that are no better than a guess with the reason."""
    if found is None:
        return []
    rows = [[one["attack"], *_risk(one), one["undefined"] or ""] for one in found]
    head = ["attack", "risk", "95% interval", "note"]
    return ["", "On synthetic data, beyond the control group", *aligned(head, rows, right=(1,))]


def _risk(one: Document) -> tuple[str, str]:
    if one.get("risk") is None:
        return "-", "-"
    ends = None if one["interval"] is None else [percent(end) for end in one["interval"]]
    return percent(one["risk"]), "-" if ends is None else " to ".join(ends)


def _inference(one: Document) -> list[str]:
    if one["undefined"] is not None:
        return ["", f"{one['target']} given the linked record: undefined, since {one['undefined']}."]
    rate, chance = number(one["discrimination_rate"]), number(one["chance"])
    return ["", f"{one['target']} given the linked record: discrimination rate {rate} (by chance {chance})"]
