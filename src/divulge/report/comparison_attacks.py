"""How far attackers get with each release, what they still lack, and whom it concerns."""

from __future__ import annotations

from divulge.report.formats import NOTHING, cell, rate
from divulge.report.side_by_side import Cell, Match, Row, Side, matched, missing, names, value_of
from divulge.report.tables import Column, Document, Table, without_gaps
from divulge.wording import many, percent


def attacks(document: Document) -> Side:
    """How far each attacker gets with each release, and whom that concerns."""
    rows, about = [], {}
    for one, found in matched_attacks(document):
        about[one["title"]] = f"knows {one['knows']}"
        risks = [value_of(attack, "risk") for attack in found]
        cells = [
            missing(_reason(attack, "undefined")) if risk is None else Cell(rate(risk))
            for attack, risk in zip(found, risks, strict=True)
        ]
        rows.append(Row("Risk", _ranked(cells, risks, "lowest", "highest"), group=one["title"]))
        if any(_tells_of_people(attack) for attack in found):
            shares = [reach(attack) for attack in found]
            cells = [_people(attack) for attack in found]
            rows.append(Row("People affected", _ranked(cells, shares, "fewest", "most"), group=one["title"]))
    return Side("attack", names(document), rows, about)


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


def _people(attack: Document | None) -> Cell:
    at_most = None if attack is None else attack.get("people_at_most")
    if attack is None or (attack["people"] is None and at_most is None):
        return missing(_reason(attack, "people_undefined"))
    share = reach(attack)
    people = many(attack["people"]) if at_most is None else f"at most {many(at_most)}"
    return Cell(people + ("" if share is None else f" ({percent(share)})"))


def _ranked(cells: list[Cell], values: list[float | None], least: str, most: str) -> list[Cell]:
    """The cells with words at the least and at the most of it, where these differ as they are written."""
    known = {one.text: value for one, value in zip(cells, values, strict=True) if value is not None}
    if len(known) < 2:
        return cells
    low, high = (chosen(known, key=known.__getitem__) for chosen in (min, max))
    marked = {low: Cell(low, "↓", least, "pass"), high: Cell(high, "↑", most, "fail")}
    return [marked.get(one.text, one) for one in cells]


def information_loss(document: Document) -> Side:
    """What attackers still lack, attack by attack and over all."""
    summaries = [release["summary"] for release in document["releases"]]
    rows = [
        Row(one["title"], [Cell(cell(value_of(line, "information_loss"), "rate")) for line in found])
        for one, found in matched((summary["lines"] for summary in summaries), lambda line: line["attack"])
    ]
    overall = [Cell(cell(summary["overall_information_loss"], "rate")) for summary in summaries]
    rows.append(Row("Overall", overall, note="mean over identity disclosure, white box, and homogeneity"))
    return Side(
        "attack", names(document), [row for row in rows if any(one.text != NOTHING for one in row.cells)]
    )


def attack_risks(document: Document) -> Table:
    """The risk under each attack and whom it reaches, release by release."""
    head = (
        *(Column("attack"), Column("release"), Column("risk", "rate")),
        *(Column("people", "count"), Column("people at most", "count"), Column("of", "count")),
    )
    rows = [
        [one["title"], name, *(attack.get(of) for of in ("risk", "people", "people_at_most", "of"))]
        for one, found in matched_attacks(document)
        for name, attack in zip(names(document), found, strict=True)
        if attack is not None
    ]
    return without_gaps(Table(head, rows))
