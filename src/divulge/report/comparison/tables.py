"""Readings of each release beside the original, the checks it meets, and how it was aligned."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, NamedTuple

from divulge.measures import MEASURES
from divulge.report.comparison.side_by_side import (
    ORIGINAL,
    Match,
    ShownCell,
    ShownRow,
    SideBySide,
    better,
    changed,
    matched,
    missing,
    named,
    names,
)
from divulge.report.shared.formats import NOTHING, cell, clipped, listing
from divulge.report.shared.tables import Document, ReportTable, TableColumn, target_title
from divulge.report.shared.wording import OUTCOMES


class Said(NamedTuple):
    """A reading in plain words, and how its numbers are written."""

    label: str
    short: str
    measure: str
    kind: str


ABOUT_RECORDS = {
    "k": Said("Smallest group", "Smallest group", "k_anonymity", "count"),
    "uniqueness": Said("Unique people", "Unique people", "uniqueness", "share"),
    "average_risk": Said("People truly linked", "People truly linked", "reidentification_risk", "share"),
    "discrimination_rate": Said(
        "Identifying information in all quasi-identifiers", "Identifying", "discrimination_rate", "rate"
    ),
}
ABOUT_TARGETS = {
    "discrimination_rate": Said(
        "Predictable from all quasi-identifiers", "Predictable", "discrimination_rate", "rate"
    ),
    "distinct_l_diversity": Said(
        "Values in the least varied group", "Fewest values", "distinct_l_diversity", "count"
    ),
    "t_closeness": Said("Distance of the furthest group", "Furthest group", "t_closeness", "rate"),
}


INFERENCE = "Inference of"


def readings(document: Document) -> SideBySide:
    """What all quasi-identifiers together tell, before and after."""
    tables = [document["original"], *document["releases"]]
    states = [table["readings"] or {} for table in tables]
    rows = [ShownRow("Records", [ShownCell(cell(table["records"], "count")) for table in tables])]
    rows += [_reading(said, name, states, "Re-identification") for name, said in ABOUT_RECORDS.items()]
    for target in document["original"]["sensitive"]:
        told = [state.get("targets", {}).get(target) or {} for state in states]
        group = f"{INFERENCE} {clipped(target)}"
        rows += [_reading(said, name, told, group) for name, said in ABOUT_TARGETS.items()]
    lacking = [release["lacking"] for release in document["releases"]]
    changed = [release.get("changed") for release in document["releases"]]
    exchanged = [release.get("changed") or release.get("exchanged") for release in document["releases"]]
    for place, row in enumerate(rows[1:], 1):
        why = exchanged if row.group.startswith(INFERENCE) else changed
        rows[place] = row._replace(cells=_explained(_incomparable(row, why), lacking))
    return SideBySide("reading", (ORIGINAL, *names(document)), rows)


def _incomparable(row: ShownRow, changed: list[str | None]) -> list[ShownCell]:
    """The cells of a row; where values were changed, only the average risk is counted against the truth."""
    counted = row.label == ABOUT_RECORDS["average_risk"].label
    cells = zip(row.cells[1:], changed, strict=True)
    return [row.cells[0], *(_of_changed(one, reason, counted) for one, reason in cells)]


def _of_changed(cell: ShownCell, reason: str | None, counted: bool) -> ShownCell:
    if reason is None or (counted and cell.text != NOTHING):
        return cell
    if cell.text == NOTHING:
        return missing(reason)
    return ShownCell(cell.text, word="not comparable", reason=reason)


def _explained(cells: list[ShownCell], lacking: list[str | None]) -> list[ShownCell]:
    """The cells of a row, those of releases without readings with the reason."""
    found = zip(cells[1:], lacking, strict=True)
    return [cells[0], *(missing(reason) if reason else one for one, reason in found)]


def _reading(said: Said, name: str, states: Iterable[Document], group: str) -> ShownRow:
    measure = MEASURES[said.measure]
    before, *after = [state.get(name) for state in states]
    larger = measure.riskier == "lower"
    return ShownRow(
        said.label,
        [
            ShownCell(cell(before, said.kind)),
            *(changed(before, value, said.kind, larger_is_better=larger) for value in after),
        ],
        note=better(larger) if name == "average_risk" else f"{measure.title}; {better(larger)}",
        group=group,
        short=said.short,
    )


def checks(document: Document) -> SideBySide:
    """Which thresholds each release meets."""
    rows = [
        ShownRow(
            one["title"],
            [_checked(check) for check in found],
            f"{target_title(one['target'])}; required: {one['asked']}",
        )
        for one, found in matched_checks(document)
    ]
    return SideBySide("check", names(document), rows)


def matched_checks(document: Document) -> list[Match]:
    """Every check, and what it found in each release."""
    quasi = document["original"]["quasi_identifiers"]
    held = [
        [{**check, "about": _about(check, release, quasi)} for check in release["checks"]]
        for release in document["releases"]
    ]
    return matched(held, lambda check: check["about"])


def _about(check: Document, release: Document, quasi: list[str]) -> tuple[Any, ...]:
    """What a check asks, under the names of the original, and the same where some keys are not released."""
    back = {pair["released"]: pair["original"] for pair in release["alignment"]["columns"]}
    keys = {back.get(key, key) for key in check["keys"]}
    every = keys == set(quasi) & set(back.values()) or check["measure"] == "identifiers"
    asked = (check["measure"], str(check["parameters"]), check["asked"])
    return *asked, back.get(check["target"], check["target"]), "all" if every else tuple(sorted(keys))


def _checked(check: Document | None) -> ShownCell:
    if check is None:
        return missing(None)
    outcome = OUTCOMES[check["outcome"]]
    return ShownCell(_found(check), outcome.sign, outcome.word, check["outcome"].replace(" ", "-"))


def _found(check: Document) -> str:
    """What a check found; of people in small groups also how small, which is not to be unique."""
    found, asked = str(check["found_text"]), str(check["asked"]).split(" / ")
    held = [one for one in asked if len(asked) == 1 or one.startswith(f"{check['outcome']}s: ")]
    sizes = re.findall(r"in groups smaller than (\d+)", "".join(held))
    return f"{found} in groups smaller than {sizes[0]}" if len(sizes) == 1 and " people" in found else found


def risk_and_utility(document: Document) -> ReportTable:
    """The two axes of the chart."""
    axes = document["axes"]
    head = (TableColumn("release"), TableColumn(axes["risk"], "rate"), TableColumn(axes["utility"], "rate"))
    rows = [[ORIGINAL, (document["original"]["readings"] or {}).get("average_risk"), 1.0]]
    rows += [
        [name, release["score"]["risk"], release["score"]["utility"]] for name, release in named(document)
    ]
    return ReportTable(head, rows)


def more_readings(document: Document) -> ReportTable:
    """Readings that depend on the number of classes, and so stand by themselves in every table."""
    head = (
        *(TableColumn("of"), TableColumn("target")),
        *(
            TableColumn("ITPR", "rate"),
            TableColumn("discrimination rate", "rate"),
            TableColumn("adjusted for chance", "rate"),
        ),
    )
    found = [
        (ORIGINAL, document["original"]["readings"]),
        *((name, release["readings"]) for name, release in named(document)),
    ]
    rows = [
        [name, target_title(target), *(told.get(of) for of in ("itpr", "discrimination_rate", "adjusted"))]
        for name, state in found
        if state is not None
        for target, told in {"@record": state, **state["targets"]}.items()
    ]
    return ReportTable(head, rows)


def alignment(document: Document) -> ReportTable:
    """How many records of each release were found again in the original, and how."""
    head = (
        *(
            TableColumn("release"),
            TableColumn("records", "count"),
            TableColumn("aligned", "count"),
            TableColumn("how"),
        ),
        *(TableColumn("attributes in both", "count"), TableColumn("called otherwise")),
    )
    rows = []
    for name, release in named(document):
        found = release["alignment"]
        renamed = [
            f"{pair['original']} is {pair['released']}"
            for pair in found["columns"]
            if pair["original"] != pair["released"]
        ]
        rows.append(
            [
                name,
                release["records"],
                found["aligned"],
                found["how"],
                len(found["columns"]),
                listing(renamed),
            ]
        )
    return ReportTable(head, rows)


def notices(document: Document) -> list[tuple[str, list[str]]]:
    """What has to be known before any figure: under the releases that share it, or under none."""
    texts: dict[str, dict[str, None]] = {}
    for one in document.get("notices", ()):
        texts.setdefault(one["text"], {})[one["release"] or ""] = None
    found: dict[str, list[str]] = {}
    for text, about in texts.items():
        found.setdefault(listing([name for name in about if name]), []).append(text)
    return list(found.items())


def notes(document: Document) -> list[tuple[str, str]]:
    """What could not be aligned, and the releases that it is about."""
    found: dict[str, dict[str, None]] = {}
    for name, release in named(document):
        for note in release["alignment"]["notes"]:
            found.setdefault(note, {})[name] = None
    return [(listing(list(about)), note) for note, about in found.items()]
