"""How far attackers get with each release, what they still lack, and whom it concerns."""

from __future__ import annotations

from typing import NamedTuple

from divulge._support.wording import capitalized, many, percent
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

#: The attack whose risk is about released values, and not about people, where values were changed.
OF_RELEASED_VALUES = "identity_black_box"
#: The attacks whose risk is a share of the information, and no share of people.
BY_RATE = ("identity_white_box", "identity_black_box", "homogeneity", "background_knowledge", "similarity")
_NOTABLE = 0.01  # what chance has to give at least to be shown beside a risk


def attacks(document: Document) -> SideBySide:
    """How far each attacker gets with each release, and whom that concerns."""
    rows, about = [], {}
    for one, found in matched_attacks(document):
        about[one["title"]] = f"knows {one['knows']}"
        rows.append(ShownRow("Risk", risks(found, document)[1], group=one["title"]))
        if any(_tells_of_people(attack) for attack in found):
            shares = [reach(attack) for attack in found]
            cells = [_people(attack) for attack in found]
            rows.append(
                ShownRow("People affected", _ranked(cells, shares, "fewest", "most"), group=one["title"])
            )
        if (chances := at_random(found)) is not None:
            rows.append(ShownRow("Risk of a link at random", chances, group=one["title"]))
        if (guesses := recipe_guesses(found)) is not None:
            rows.append(ShownRow("Right guesses, recipe known", guesses, group=one["title"]))
    return SideBySide("attack", names(document), [*rows, *overall(document)], about)


def at_random(found: list[Document | None]) -> list[ShownCell] | None:
    """What an attack would reach with records linked at random; None where that is next to nothing."""
    chances = [attack["details"].get("chance") if attack else None for attack in found]
    if all(chance is None or chance < _NOTABLE for chance in chances):
        return None
    return [ShownCell(NOTHING if chance is None else rate(chance)) for chance in chances]


def recipe_guesses(found: list[Document | None]) -> list[ShownCell] | None:
    """How often an attacker who knows each recipe guesses right, of the attribute where that gains most."""
    lines = [attack["details"].get("knowing_the_recipe", []) if attack else [] for attack in found]
    if not any(lines):
        return None
    return [_guesses(some) for some in lines]


def _guesses(lines: list[Document]) -> ShownCell:
    known = [one for one in lines if one["right_guess"] is not None]
    if not known:
        return missing(lines[0]["undefined"]) if lines else ShownCell(NOTHING)
    most = max(known, key=lambda one: one["right_guess"] - one["right_without_release"])
    right, without = percent(most["right_guess"]), percent(most["right_without_release"])
    return ShownCell(f"{right} (else {without})", note=most["attribute"])


class AttackedRelease(NamedTuple):
    """How far one attack gets with one release: figures, and the sentence that goes with them."""

    name: str
    value: float | None  # the risk, where it can be compared
    risk: ShownCell
    unknown: str
    people: ShownCell
    sentence: str


def attacked(match: Match, document: Document) -> list[AttackedRelease]:
    """One attack on every release."""
    one, found = match
    values, shown = risks(found, document)
    people = _ranked(list(map(_people, found)), list(map(reach, found)), "fewest", "most")
    lost = [
        NOTHING if value is None else _information_loss(release, one["attack"])
        for release, value in zip(document["releases"], values, strict=True)
    ]
    changed = [release.get("changed") for release in document["releases"]]
    sentences = [_sentence(attack, why) for attack, why in zip(found, changed, strict=True)]
    rows = zip(names(document), values, shown, lost, people, sentences, strict=True)
    return [AttackedRelease(*row) for row in rows]


def risks(found: list[Document | None], document: Document) -> tuple[list[float | None], list[ShownCell]]:
    """The risks of an attack that can be compared, and all of them as they are shown."""
    changed = [release.get("changed") for release in document["releases"]]
    cells = [_risk(attack, why) for attack, why in zip(found, changed, strict=True)]
    values = [
        None if cell.word else value_of(attack, "risk") for attack, cell in zip(found, cells, strict=True)
    ]
    return values, _ranked(cells, values, "lowest", "highest")


def _risk(attack: Document | None, changed: str | None) -> ShownCell:
    risk = value_of(attack, "risk")
    if risk is None:
        return missing(_reason(attack, "undefined"))
    counted = attack is not None and "by_class_sizes" in attack["details"]  # against the truth
    if changed is not None and value_of(attack, "attack") == OF_RELEASED_VALUES and not counted:
        return ShownCell(rate(risk), word="not comparable", reason=changed)
    side = (attack or {}).get("details", {}).get("risk_is")
    return ShownCell(f"{side} {rate(risk)}" if side else rate(risk))


def _information_loss(release: Document, attack: str) -> str:
    """What the attacker still lacks, as it is written."""
    lines = (one for one in release["summary"]["lines"] if one["attack"] == attack)
    return cell(next((one["information_loss"] for one in lines), None), "rate")


def _sentence(attack: Document | None, changed: str | None) -> str:
    """What was found, without what a note says of the whole release."""
    if attack is None:
        return "Not carried out."
    if attack["risk"] is None and attack["undefined"]:
        return f"Not measured: {attack['undefined'].rstrip('.')}."
    said = str(attack["sentence"])
    return said if changed is None else said.removesuffix(f" {capitalized(changed)}.")


def overall(document: Document) -> list[ShownRow]:
    """What attackers still lack over all, as a row; nothing where no release says it."""
    found = [release["summary"]["overall_information_loss"] for release in document["releases"]]
    cells = [ShownCell(cell(loss, "rate")) for loss in found]
    if all(loss is None for loss in found):
        return []
    note = "mean over identity disclosure, white box, and homogeneity"
    return [ShownRow("Still unknown to attackers", cells, note=note, group="Overall")]


def matched_attacks(document: Document) -> list[Match]:
    """Every attack that was measured on a release, and how far it gets with each."""
    return [one for one in _every(document) if any(value_of(attack, "risk") is not None for attack in one[1])]


def untried(document: Document) -> list[tuple[str, str]]:
    """The attacks that were measured on no release, and why not."""
    found = [
        (one["title"], [attack for attack in of if attack is not None])
        for one, of in _every(document)
        if all(value_of(attack, "risk") is None for attack in of)
    ]
    return [
        (title, "; ".join(dict.fromkeys((one["undefined"] or "no value").rstrip(".") for one in attacks)))
        for title, attacks in found
    ]


def _every(document: Document) -> list[Match]:
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
