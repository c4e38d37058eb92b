"""Experiments of the papers as one HTML file."""

from __future__ import annotations

from typing import Any

from divulge.report.reproduction.charts import charts
from divulge.report.reproduction.wording import agreement, in_all, ours, reasons, verdict
from divulge.report.shared.frame import drawings, fitted, framed, shown
from divulge.report.shared.tables import Document, ReportTable, table

HEAD = {"number": "text", "printed": "number", "ours": "number", "": "text"}


WORDS = (
    ("printed", "What the paper prints, in its last digit."),
    ("ours", "What divulge gives for the same data."),
    ("agrees", "Ours is the printed number, rounded or cut off at its last digit."),
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
                    "numbers": shown(_numbers(one), most),
                    "tables": [(each["title"], shown(_table(each), most)) for each in one["tables"]],
                    "figures": [chart.name for chart in figures[name]],
                }
                for name, one in entries.items()
            ],
            facts=[("divulge", document["divulge"]), ("Version of the document", str(document["version"]))],
        )
    )


def _numbers(entry: Document) -> ReportTable:
    rows = (
        [
            one["what"],
            one["printed"],
            one["ours"] if one["standard_error"] is None else ours(one),
            agreement(one),
        ]
        for one in entry["numbers"]
    )
    return table(HEAD, rows)


def _table(found: Document) -> ReportTable:
    columns = list(zip(*found["rows"], strict=True)) or [()] * len(found["columns"])
    kinds = ["number" if _numeric(column) else "text" for column in columns]
    return table(dict(zip(found["columns"], kinds, strict=True)), (list(row) for row in found["rows"]))


def _numeric(column: tuple[Any, ...]) -> bool:
    return all(value is None or isinstance(value, int | float) for value in column)
