"""Record linkage as lines on a terminal."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from divulge._support.wording import aligned, amount, in_words, many, number, percent, said_in_percent
from divulge.errors import counted

Document = Mapping[str, Any]
MOST_ROWS = 6  # of precision and recall; the document has all


def page(document: Document) -> list[str]:
    """The document of a linkage: by distance, by intervals, by agreement, and what links tell."""
    of = document["records"]
    return [
        f"{document['released']}: {counted(of['released'], 'record')}, linked with {many(of['original'])} of "
        f"{document['original']}",
        *_keys(document["keys"]),
        "",
        *_distance(document["distance"]),
        *_interval(document["interval"]),
        *_probabilistic(document["probabilistic"]),
        *(line for one in document["inference"] for line in _inference(one)),
        *_one_to_one(document.get("one_to_one")),
        *_fuzzy(document.get("fuzzy")),
        *_structure(document.get("structure")),
        *_synthetic(document.get("synthetic")),
        *(f"Note: {note}" for note in document["notes"]),
    ]


def _keys(keys: Mapping[str, str]) -> list[str]:
    return [f"  By {', '.join(f'{name} ({kind})' for name, kind in keys.items())}"] if keys else []


def _links(links: float | str) -> str:
    return in_words(links) if isinstance(links, str) else amount(round(links, 1))


def _distance(found: Document) -> list[str]:
    if found["undefined"] is not None:
        equal = found.get("equal_to_an_original")
        return [
            f"By distance: not measured, since {found['undefined']}.",
            *(
                [f"  Released records with the values of an original one: {said_in_percent(equal)}"]
                if equal is not None
                else []
            ),
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
    if found["undefined"] is not None:
        return ["", f"By interval: not measured, since {found['undefined']}."]
    unit = "of all ranks" if found["by"] == "rank" else "standard deviations"
    width = percent(found["width"]) if found["by"] == "rank" else number(found["width"])
    chance = found["chance"]
    rows = [
        [name, said_in_percent(share), percent(chance["inside"][name])]
        for name, share in found["inside"].items()
    ]
    if len(rows) > 1:
        rows.append(["all at once", said_in_percent(found["all"]), percent(chance["all"])])
    return [
        "",
        f"By interval: original values within {width} {unit} of the released one",
        *aligned(["attribute", "inside", "at random"], rows, right=(1, 2)),
    ]


def _probabilistic(found: Document) -> list[str]:
    if found["undefined"] is not None:
        return ["", f"By agreement: undefined, since {found['undefined']}."]
    rows = [[name, number(found["m"][name]), number(found["u"][name])] for name in found["m"]]
    lines = ["", f"By agreement (Fellegi and Sunter, {many(round(found['pairs']))} pairs)"]
    if "share" in found:
        linked, chance = said_in_percent(found["share"]), percent(found["chance"])
        lines.append(f"  {linked} linked to their original (at random {chance})")
    lines += _bands(found)
    if caution := found.get("caution"):
        lines.append(f"  Caution: {caution}")
    return [*lines, *aligned(["attribute", "m", "u"], rows, right=(1, 2)), *_curve(found.get("curve"))]


def _bands(found: Document) -> list[str]:
    """Pairs that would be linked, and those that a person would look at."""
    return [
        f"  Pairs with a chance of 0.9 or more: {many(round(found['linked_pairs']))}; "
        f"from 0.5 to 0.9, for a person to look at: {many(round(found['clerical']))}"
    ]


def _curve(found: list[Document] | None) -> list[str]:
    """Precision and recall of linking every pair from a weight on, at some weights."""
    if not found:
        return []
    places = sorted({round(place * (len(found) - 1) / (MOST_ROWS - 1)) for place in range(MOST_ROWS)})
    rows = [
        [number(round(one["weight"], 2)), percent(one["precision"]), percent(one["recall"])]
        for one in (found[place] for place in places)
    ]
    return ["", *aligned(["pairs from weight", "precision", "recall"], rows, right=(0, 1, 2))]


def _one_to_one(found: Document | None) -> list[str]:
    if found is None:
        return []
    if found["undefined"] is not None:
        return ["", f"One to one: not measured, since {found['undefined']}."]
    return [
        "",
        f"One to one: {said_in_percent(found['share'])} linked to their original",
        f"  At random: {percent(found['chance'])}",
        f"  Equally good links decided by shuffled rows (seed {found['seed']}); alike records share them",
    ]


def _fuzzy(found: Document | None) -> list[str]:
    """Linkage through Splink: what was compared, what was linked, and how often values agree."""
    if found is None:
        return []
    if found["undefined"] is not None:
        return ["", f"With typing errors: undefined, since {found['undefined']}."]
    lines = ["", f"With typing errors (Splink on {found['engine']})"]
    if "share" in found:
        linked, chance = said_in_percent(found["share"]), percent(found["chance"])
        lines.append(f"  {linked} linked to their original (at random {chance})")
        lines.append(f"  Compared with their original: {said_in_percent(found['compared'])}")
    lines += [
        f"  Pairs compared: {many(found['pairs'])} of {many(round(found['all_pairs']))} "
        f"({'; '.join(found['blocking'])})",
        *_bands(found),
    ]
    rows = [[one["attribute"], one["level"], _level(one["m"]), _level(one["u"])] for one in found["levels"]]
    table = aligned(["attribute", "agreement", "m", "u"], rows, right=(2, 3))
    return [*lines, *table, *_curve(found.get("curve"))]


def _level(probability: float | None) -> str:
    return "-" if probability is None else number(probability)


def _structure(found: Document | None) -> list[str]:
    """Tables without common attributes: how far their groups hold the same people."""
    if found is None:
        return []
    related = f"{', '.join(found['original'])} beside {', '.join(found['released'])}"
    if found["undefined"] is not None:
        return ["", f"By structure ({related}): not measured, since {found['undefined']}."]
    correlation = found["rank_correlation"]
    rows = [
        [
            one["by"],
            said_in_percent(one["kept"]),
            percent(one["kept_chance"]),
            number(one["adjusted_rand"]),
            said_in_percent(one["share"]),
        ]
        for one in found["partitions"]
    ]
    head = [f"{found['groups']} groups by", "same group", "at random", "adjusted Rand", "found"]
    return [
        "",
        f"By structure: {related}",
        f"  Rank correlation: {_level(correlation)}",
        f"  A person found at random: {percent(found['chance'])}",
        *aligned(head, rows, right=(1, 2, 3, 4)),
    ]


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
