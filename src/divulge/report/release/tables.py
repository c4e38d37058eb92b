"""The numbers of a release simulation as tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from divulge._support.wording import enumerated
from divulge.report.release.wording import READS, average, used
from divulge.report.shared.tables import Document, ReportTable, TableColumn, without_gaps

ALL = "all"
TOTALS = ("records", "requested", "released", "refused", "share", "fitting")
REFUSED = "refused for good"
#: What is said of a target, by the title of its column: under which name it is, and how it is written.
FIGURES = {
    "records": ("records", "count"),
    "requested": ("requested", "number"),
    "released": ("released", "number"),
    "standard deviation": ("deviation", "number"),
    REFUSED: ("refused", "number"),
    "share released": ("share", "share"),
    "fitting the baseline": ("fitting", "number"),
}
MOST_ROWS, FEWEST_SIZES = 120, 8  # of a table of what happened over time


def losing(document: Document, most: int) -> list[int]:
    """The places of so many targets that lose most, in their own order."""
    shares = [1.0 if one["share"] is None else one["share"] for one in document["by_target"]]
    return sorted(sorted(range(len(shares)), key=lambda place: shares[place])[:most])


def by_target(document: Document) -> ReportTable:
    """What was there of each target, what was requested and released; all targets together last."""
    shown = {title: said for title, said in FIGURES.items() if title != REFUSED or document["refused"]}
    columns = (TableColumn(title, kind) for title, (_, kind) in shown.items())
    together = {"target": ALL, "deviation": None, **{name: document[name] for name in TOTALS}}
    rows = [
        [
            one["target"],
            *(average(one[name]) if kind == "number" else one[name] for name, kind in shown.values()),
        ]
        for one in (*document["by_target"], together)
    ]
    return ReportTable((TableColumn(target_title(document)), *columns), rows)


def without(table: ReportTable, title: str) -> ReportTable:
    """The table without the column of this title."""
    kept = [place for place, column in enumerate(table.head) if column.title != title]
    return ReportTable(
        tuple(table.head[place] for place in kept), [[row[place] for place in kept] for row in table.rows]
    )


def by_test(document: Document) -> ReportTable:
    """What was released of each target under each test by itself, all targets together last."""
    alone = document.get("each") or ()
    head = (
        TableColumn(target_title(document)),
        TableColumn("requested", "number"),
        *(TableColumn(f"released with {title(one)}", "number") for one in alone),
        TableColumn("fitting the baseline", "number"),
    )
    rows = [
        [
            one["target"],
            average(one["requested"]),
            *(average(other["by_target"][place]["released"]) for other in alone),
            average(one["fitting"]),
        ]
        for place, one in enumerate(document["by_target"])
    ]
    released = (average(one["released"]) for one in alone)
    together = [ALL, average(document["requested"]), *released, average(document["fitting"])]
    return ReportTable(head, [*rows, together])


def passed(document: Document) -> ReportTable:
    """In how many runs the records released at the end pass each test, by what they were released with."""
    alone = document.get("each") or ()
    together = document["rules"]["tests"] not in [one["rules"]["tests"] for one in alone]
    head = (
        TableColumn("released with"),
        *(TableColumn(f"passes {test.upper()}", "count") for test in document["cross_safety"]),
    )
    found = [document, *alone] if together else alone
    return ReportTable(head, [[title(one), *one["cross_safety"].values()] for one in found])


def exposures(test: str, document: Document) -> ReportTable:
    """Exposure and critical value over time."""
    lines = max((len(of_test(moment, test)) for moment in document["evolution"]), default=0)
    rows = [
        [moment["records"], one["target"], one["value"], one["critical"], used(one)]
        for moment in thinned(document["evolution"], max(FEWEST_SIZES, MOST_ROWS // max(4, lines)))
        for one in of_test(moment, test)
    ]
    head = (
        TableColumn("records released", "count"),
        TableColumn(target_title(document)),
        TableColumn(reading_title(test, document), "number"),
        TableColumn("critical value", "number"),
        TableColumn("used", "share"),
    )
    return without_gaps(ReportTable(head, rows))


def readings(document: Document) -> ReportTable:
    """How much the released values say about the targets, over time."""
    head = (
        TableColumn("records released", "count"),
        TableColumn("discrimination rate", "rate"),
        TableColumn("ITPR", "rate"),
    )
    rows = [
        [one["records"], one["discrimination_rate"], one["itpr"]]
        for one in thinned(document["evolution"], MOST_ROWS // 4)
    ]
    return ReportTable(head, rows)


def of_test(moment: Document, test: str) -> list[Any]:
    """What a test read at one moment."""
    return [one for one in moment["exposures"] if one["test"] == test]


def reading_title(test: str, document: Document) -> str:
    """What a test reads, with its unit."""
    units = (one["unit"] for moment in document["evolution"] for one in of_test(moment, test))
    return ", ".join(filter(None, [READS[test], next(units, "")]))


def target_title(document: Document) -> str:
    """The attributes that make up a target."""
    return ", ".join(document["y"])


def title(document: Document) -> str:
    """The tests of a document in short.

    >>> title({"rules": {"tests": ["mis", "kld"]}})
    'MIS and KLD'
    """
    return enumerated([test.upper() for test in document["rules"]["tests"]])


def thinned(entries: Sequence[Any], most: int) -> list[Any]:
    """So many entries at most, evenly spread, the first and the last among them.

    >>> thinned(range(10), 4), thinned(range(3), 4)
    ([0, 3, 6, 9], [0, 1, 2])
    """
    if len(entries) <= most:
        return list(entries)
    return [entries[round(place * (len(entries) - 1) / (most - 1))] for place in range(most)]
