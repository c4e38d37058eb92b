"""How far attackers get with each release, what they still lack, and whom it concerns."""

from __future__ import annotations

from divulge._support.wording import many, percent
from divulge.report.comparison.side_by_side import (
    Match,
    ShownCell,
    ShownRow,
    SideBySide,
    matched,
    missing,
    names,
    value_of,
)
from divulge.report.shared.formats import NOTHING, cell, rate
from divulge.report.shared.tables import Document, ReportTable, TableColumn, without_gaps


def attacks(document: Document) -> SideBySide:
    """How far each attacker gets with each release, and whom that concerns."""
    rows, about = [], {}
    for one, found in matched_attacks(document):
        about[one["title"]] = f"knows {one['knows']}"
        risks = [value_of(attack, "risk") for attack in found]
        cells = [
            missing(_reason(attack, "undefined")) if risk is None else ShownCell(rate(risk))
            for attack, risk in zip(found, risks, strict=True)
        ]
        rows.append(ShownRow("Risk", _ranked(cells, risks, "lowest", "highest"), group=one["title"]))
        if any(_tells_of_people(attack) for attack in found):
            shares = [reach(attack) for attack in found]
            cells = [_people(attack) for attack in found]
            rows.append(
                ShownRow("People affected", _ranked(cells, shares, "fewest", "most"), group=one["title"])
            )
    return SideBySide("attack", names(document), rows, about)


def matched_attacks(document: Document) -> list[Match]:
    return matched((release["attacks"] for release in document["releases"]), lambda one: one["attack"])


def reach(attack: Document | None) -> float | None:
    """The share of people that an attack concerns, at most where that was estimated.

    >>> reach({"people": 332, "of": 4000})
    0.083
    """
    if attack is None or not attack["of"]:
        return None
    people = attack.get("people_at_most") if attack["people"] is None else attack["people"]
    known = isinstance(people, int) and isinstance(attack["of"], int)
    return people / attack["of"] if known else None


def _reason(attack: Document | None, name: str) -> str | None:
    """Why a figure of an attack was not measured, where that is said."""
    return None if attack is None else attack.get(name)


def _tells_of_people(attack: Document | None) -> bool:
    return any(_reason(attack, name) is not None for name in ("people", "people_at_most", "people_undefined"))


def _people(attack: Document | None) -> ShownCell:
    at_most = None if attack is None else attack.get("people_at_most")
    if attack is None or (attack["people"] is None and at_most is None):
        return missing(_reason(attack, "people_undefined"))
    share = reach(attack)
    people = many(attack["people"]) if at_most is None else f"at most {many(at_most)}"
    return ShownCell(people + ("" if share is None else f" ({percent(share)})"))


def _ranked(cells: list[ShownCell], values: list[float | None], least: str, most: str) -> list[ShownCell]:
    """The cells with words at the least and at the most of it, where these differ as they are written."""
    known = {one.text: value for one, value in zip(cells, values, strict=True) if value is not None}
    if len(known) < 2:
        return cells
    low, high = (chosen(known, key=known.__getitem__) for chosen in (min, max))
    marked = {low: ShownCell(low, "↓", least, "pass"), high: ShownCell(high, "↑", most, "fail")}
    return [marked.get(one.text, one) for one in cells]


def information_loss(document: Document) -> SideBySide:
    """What attackers still lack, attack by attack and over all."""
    summaries = [release["summary"] for release in document["releases"]]
    rows = [
        ShownRow(
            one["title"], [ShownCell(cell(value_of(line, "information_loss"), "rate")) for line in found]
        )
        for one, found in matched((summary["lines"] for summary in summaries), lambda line: line["attack"])
    ]
    overall = [ShownCell(cell(summary["overall_information_loss"], "rate")) for summary in summaries]
    rows.append(
        ShownRow("Overall", overall, note="mean over identity disclosure, white box, and homogeneity")
    )
    return SideBySide(
        "attack", names(document), [row for row in rows if any(one.text != NOTHING for one in row.cells)]
    )


def attack_risks(document: Document) -> ReportTable:
    """The risk under each attack and whom it reaches, release by release."""
    head = (
        *(TableColumn("attack"), TableColumn("release"), TableColumn("risk", "rate")),
        *(TableColumn("people", "count"), TableColumn("people at most", "count"), TableColumn("of", "count")),
    )
    rows = [
        [one["title"], name, *(attack.get(of) for of in ("risk", "people", "people_at_most", "of"))]
        for one, found in matched_attacks(document)
        for name, attack in zip(names(document), found, strict=True)
        if attack is not None
    ]
    return without_gaps(ReportTable(head, rows))
