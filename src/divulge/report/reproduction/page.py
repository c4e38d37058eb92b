"""Experiments of the papers as one HTML file."""

from __future__ import annotations

from typing import Any

from divulge.report.reproduction.charts import charts
from divulge.report.reproduction.wording import agreement, head, in_all, ours, reasons, tolerance, verdict
from divulge.report.shared.frame import drawings, fitted, framed, shown
from divulge.report.shared.tables import Document, ReportTable, table

MOST_NUMBERS = 24  # that are shown at once beside tables that say the same
KINDS = {"number": "text", "": "text"}  # of columns; the others hold numbers


WORDS = (
    ("printed", "What the paper prints, in its last digit."),
    ("ours", "What divulge gives for the same data."),
    ("tolerance", "How far ours may be from the printed number: by default a unit of its last digit."),
    ("agrees", "Ours is the printed number, rounded or cut off at its last digit, or within the tolerance."),
    ("claim", "A sentence of the paper that numbers can contradict."),
)


def page(document: Document) -> str:
    """The report of experiments, one self-contained file."""
    entries = {f"{one['paper']}-{one['item']}": one for one in document["experiments"]}
    figures = {name: charts(one, name) for name, one in entries.items()}
    every = [chart for some in figures.values() for chart in some]
    drawn = drawings(every, document)
    parts = {
        "content": "Papers",
        **{name: one["title"] for name, one in entries.items()},
        "glossary": "Glossary",
        "made": "How this was made",
    }
    return fitted(
        lambda most: framed(
            "reproduction.html.j2",
            document,
            charts=every,
            drawn=drawn,
            most=most,
            measures=(),
            parts=parts,
            words=WORDS,
            in_all=in_all(document),
            references_of_papers=list(
                dict.fromkeys(one for paper in document["papers"] for one in paper["references"])
            ),
            experiments=[
                {
                    "name": name,
                    "entry": one,
                    "verdict": verdict(one),
                    "reasons": reasons(one),
                    "caption": "Printed numbers and ours" if "printed" in head(one) else "Numbers",
                    "folded": _folded(one),
                    "numbers": shown(_numbers(one), most),
                    "tables": [(each["title"], shown(_table(each), most)) for each in one["tables"]],
                    "figures": [chart.name for chart in figures[name]],
                }
                for name, one in entries.items()
            ],
            facts=[("divulge", document["divulge"]), ("Version of the document", str(document["version"]))],
        )
    )


def _folded(entry: Document) -> bool:
    """Whether numbers open by a click: where they are many, and tables, not charts, show the same."""
    return len(entry["numbers"]) > MOST_NUMBERS and bool(entry["tables"]) and not entry["figures"]


def _numbers(entry: Document) -> ReportTable:
    columns = head(entry)
    cells = (
        {
            "number": one["what"],
            "printed": one["printed"],
            "ours": one["ours"] if one["standard_error"] is None else ours(one),
            "tolerance": tolerance(one),
            "": agreement(one),
        }
        for one in entry["numbers"]
    )
    return table(
        {name: KINDS.get(name, "number") for name in columns},
        ([one[name] for name in columns] for one in cells),
    )


def _table(found: Document) -> ReportTable:
    columns = list(zip(*found["rows"], strict=True)) or [()] * len(found["columns"])
    kinds = ["number" if _numeric(column) else "text" for column in columns]
    return table(dict(zip(found["columns"], kinds, strict=True)), (list(row) for row in found["rows"]))


def _numeric(column: tuple[Any, ...]) -> bool:
    return all(value is None or isinstance(value, int | float) for value in column)
