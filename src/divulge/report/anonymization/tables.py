"""The tables of a search's report, from its document."""

from __future__ import annotations

from typing import NamedTuple

from divulge._support.wording import in_words, many, number
from divulge.report.anonymization.wording import LAWS, LOCAL
from divulge.report.shared.tables import Document, ReportTable, table

ARROW = " → "
RAISED = "levels above 0"


class HeldRow(NamedTuple):
    """A check with what it finds in the original and in the release."""

    title: str
    asked: str
    before: Document
    after: Document


class LevelRow(NamedTuple):
    """A quasi-identifier: what it was, what it is released as, and at which level."""

    name: str
    original: str
    released: str
    level: str


def held(document: Document) -> list[HeldRow]:
    """Every check, before and after."""
    return [HeldRow(one["title"], one["asked"], one["before"], one["after"]) for one in document["checks"]]


def found_in(reading: Document) -> str:
    """What a check found, or why there is no value."""
    return str(reading["undefined"] or reading["found_text"])


def levels(document: Document) -> list[LevelRow]:
    """The chosen level of each quasi-identifier; of a local recoding from which to which."""
    rows = []
    for name, level in document["best"]["levels"].items():
        tree = document["hierarchies"][name]
        forms = ["as it is", *tree["forms"][1:]]
        apart = document["local"] if document["local"] and not document["local"]["alike"] else None
        if apart and name not in apart["levels"]:
            rows.append(LevelRow(name, tree["forms"][0], "ranges of each group's own", "none"))
            continue
        local = apart and apart["levels"].get(name)
        low, high = (local["lowest"], local["highest"]) if local else (level, level)
        kept = forms[low] if low == high else f"{forms[low]}, up to {forms[high]}"
        at = str(low) if low == high else f"{low} to {high}"
        mean = f" (mean {number(local['mean'])})" if local and low != high else ""
        rows.append(LevelRow(name, tree["forms"][0], kept, f"{at} of {tree['levels']}{mean}"))
    return rows


def best(document: Document) -> ReportTable:
    """The best transformations, the least loss first."""
    head = {
        "rank": "count",
        "loss": "number",
        "suppressed": "count",
        "groups": "count",
        "average risk": "number",
        RAISED: "text",
    }
    found = [document["best"], *document["next"]]
    return table(head, ([place, *transformation(one)] for place, one in enumerate(found, start=1)))


def front(document: Document) -> ReportTable:
    """The transformations that no other beats in both loss and risk."""
    head = {"loss": "number", "suppressed": "count", "groups": "count", "average risk": "number"}
    return table({**head, RAISED: "text"}, (transformation(one) for one in document["front"] or ()))


def transformation(one: Document) -> list[object]:
    """A transformation as a row."""
    return [one["loss"], one["suppressed"], one["classes"], one["risk"], raised(one)]


def raised(one: Document) -> str:
    """The attributes that a transformation changes, with their levels.

    >>> raised({"levels": {"age": 3, "sex": 0}}), raised({"levels": {"sex": 0}})
    ('age 3', 'all as they are')
    """
    return ", ".join(f"{name} {level}" for name, level in one["levels"].items() if level) or "all as they are"


def proof(document: Document) -> list[tuple[str, str]]:
    """How many transformations there are, and what became of them."""
    found = document["certificate"]
    left = found["transformations"] - found["evaluated"] - sum(found["excluded"].values())
    rows = [("Transformations", many(found["transformations"])), ("Evaluated", many(found["evaluated"]))]
    rows += [(LAWS[law], many(nodes)) for law, nodes in found["excluded"].items()]
    rows += [("Not looked at", many(left))] if left else []
    if found["bound"] is not None:
        rows.append(("Least loss that one of these could have", number(found["bound"])))
    return rows


def local(document: Document) -> ReportTable:
    """The global optimum and the local recoding beside each other."""
    head = {"release": "text", "loss": "number", "suppressed": "count", "groups": "count"}
    pairs = {"all records alike": document["best"], _name(document["local"]): document["local"]}
    return table(
        {**head, "average risk": "number"},
        (
            [name, one["loss"], one["suppressed"], one["classes"], one["risk"]]
            for name, one in pairs.items()
            if one
        ),
    )


def _name(local: Document | None) -> str:
    said = "" if local is None else LOCAL[local["kind"]]
    return said[:1].lower() + said[1:]


def hierarchies(document: Document) -> ReportTable:
    """The hierarchies: given or made, and what each level is."""
    rows = []
    for name, one in document["hierarchies"].items():
        source = "made from the values" if one["made"] else one["file"] or "given"
        rows.append([name, source, one["levels"], ARROW.join(one["forms"])])
    return table({"attribute": "text", "hierarchy": "text", "levels": "count", "forms": "text"}, rows)


def text_row(one: Document) -> list[str]:
    """A transformation as a row of plain text."""
    return [number(one["loss"]), in_words(one["suppressed"]), many(one["classes"]), raised(one)]
