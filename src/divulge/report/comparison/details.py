"""What stands behind an attack: readings by attribute and by value, and whatever else it says."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from divulge.report.comparison.attacks import AttackedRelease, attacked
from divulge.report.comparison.side_by_side import Match, ShownCell, ShownRow, SideBySide, matched, names
from divulge.report.shared.formats import cell, listing
from divulge.report.shared.tables import Document, ReportTable, TableColumn, target_title, without_gaps

NOTHING_SAID: Document = {"readings": [], "details": {}}
RATES = (TableColumn("discrimination rate", "rate"), TableColumn("ITPR", "rate"))


@dataclass(frozen=True)
class Attack:
    """An attack on each release, and the figures behind it."""

    attack: Document
    outcomes: list[AttackedRelease]
    readings: ReportTable
    by_value: ReportTable
    facts: SideBySide
    lists: list[tuple[str, ReportTable]]


def attack(found: Match, document: Document) -> Attack:
    """Everything that releases say of an attack that they share."""
    return Attack(
        found[0],
        attacked(found, document),
        attack_readings(found, document),
        attack_values(found, document),
        attack_facts(found, document),
        list(attack_lists(found, document)),
    )


def attack_readings(found: Match, document: Document) -> ReportTable:
    """What each key tells an attacker, release by release."""
    head = (
        *(TableColumn("known"), TableColumn("release"), TableColumn("target"), *RATES),
        *(TableColumn("by chance", "rate"), TableColumn("adjusted", "rate"), TableColumn("note")),
    )
    fields = ("discrimination_rate", "itpr", "chance", "adjusted", "undefined")
    rows = [
        [listing(one["keys"]), name, target_title(one["target"]), *(one[field] for field in fields)]
        for name, one in _readings(found, document)
    ]
    return without_gaps(ReportTable(head, rows))


def attack_values(found: Match, document: Document) -> ReportTable:
    """What single values tell an attacker, riskiest first."""
    head = (
        *(TableColumn("known"), TableColumn("release"), TableColumn("target"), TableColumn("value")),
        *(TableColumn("records", "count"), *RATES),
    )
    rows = [
        [
            *(listing(one["keys"]), name, target_title(one["target"])),
            *(line[field] for field in ("label", "records", "discrimination_rate", "itpr")),
        ]
        for name, one in _readings(found, document)
        for line in one["values"]
    ]
    rows.sort(key=lambda row: -2.0 if row[5] is None else row[5], reverse=True)
    return without_gaps(ReportTable(head, rows))


def _readings(found: Match, document: Document) -> Iterator[tuple[str, Document]]:
    for name, attack in zip(names(document), found[1], strict=True):
        for one in (attack or NOTHING_SAID)["readings"]:
            yield name, one


def attack_facts(found: Match, document: Document) -> SideBySide:
    """The single things that an attack says besides, of each release."""
    said = [
        [{"what": what, "value": value} for what, value in (attack or NOTHING_SAID)["details"].items()]
        for attack in found[1]
    ]
    rows = [
        ShownRow(_words(one["what"]), [_cell(line and _plain(line["value"])) for line in lines])
        for one, lines in matched(said, lambda line: line["what"])
        if not any(line and _listed(line["value"]) for line in lines)
    ]
    return SideBySide("of this attack", names(document), rows)


def attack_lists(found: Match, document: Document) -> Iterator[tuple[str, ReportTable]]:
    """The lists of things that an attack says besides, as tables over all releases."""
    attacks = [attack or NOTHING_SAID for attack in found[1]]
    for what in dict.fromkeys(what for attack in attacks for what in attack["details"]):
        lines = [
            {"release": name} | line
            for name, attack in zip(names(document), attacks, strict=True)
            if _listed(attack["details"].get(what))
            for line in _lines(attack["details"][what])
        ]
        titles = dict.fromkeys(title for line in lines for title in line)
        rows = [[line.get(title) for title in titles] for line in lines]
        kinds = [_kind(column) for column in zip(*rows, strict=True)]
        if rows:
            yield (
                _words(what),
                without_gaps(ReportTable(tuple(map(TableColumn, map(_words, titles), kinds)), rows)),
            )


def _lines(items: list[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """The things in a list, one by one; what holds a list itself is told for each thing in that."""
    for item in items:
        outer = {name: _plain(value) for name, value in item.items() if not _listed(value)}
        inner = next((value for name, value in item.items() if _listed(value) and name != "values"), None)
        yield from (outer | line for line in _lines(inner)) if inner else [outer]


def _listed(value: Any) -> bool:
    return isinstance(value, list | tuple) and any(isinstance(one, Mapping) for one in value)


def _cell(value: Any) -> ShownCell:
    return ShownCell(cell(value, _kind([value])))


def _plain(value: Any) -> Any:
    """A value that fits in a cell."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Mapping):
        return listing([f"{name}: {inner}" for name, inner in value.items()])
    return listing(list(map(str, value))) if isinstance(value, list | tuple) else value


def _kind(values: Iterable[Any]) -> str:
    """How a column of these is written; what may be a probability is never rounded to certainty."""
    known = [value for value in values if value is not None]
    if any(isinstance(value, str) for value in known):
        return "text"
    return "rate" if all(isinstance(value, float) and 0 <= value <= 1 for value in known) else "number"


def _words(name: str) -> str:
    return {"itpr": "ITPR", "undefined": "note"}.get(name, name.replace("_", " "))
