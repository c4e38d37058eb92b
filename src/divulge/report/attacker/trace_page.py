"""An account of a trace as one HTML file."""

from __future__ import annotations

from typing import Any

from divulge._support.wording import percent
from divulge.report.attacker.beliefs import belief, belief_table
from divulge.report.attacker.lines import error_line
from divulge.report.attacker.trace_wording import trace_verdict
from divulge.report.attacker.wording import short
from divulge.report.charts.theme import Spec
from divulge.report.shared.frame import drawings, fitted, framed, shown
from divulge.report.shared.tables import Chart, Document, ReportTable, table

MOST_DRAWN = 24  # steps and states of the picture of beliefs
PARTS = {
    "verdict": "Verdict",
    "steps": "Each step",
    "glossary": "Glossary",
    "made": "How this was made",
}
WORDS = (
    ("state", "What the secret is at a step. It moves from step to step with known probabilities."),
    ("error", "The expected distortion of the attacker's best estimate, all observations known."),
    ("as it happened", "The same when later observations were not yet known."),
    ("path", "One state for each step. The most likely path may differ from the most likely states."),
)


def page(document: Document) -> str:
    """The report of a trace, one self-contained file."""
    charts = (
        Chart(
            "belief",
            "What the attacker believes at each step",
            "Each column adds up to 100%. A stronger colour is more probable, all observations known."
            f"{_left_out(document)}",
            lambda found: None if _crowded(found) else belief(_as_belief(found)),
            lambda found: belief_table(_as_belief(found)),
        ),
        Chart(
            "steps",
            "Remaining error, by step",
            "The line is the attacker's error at each step, all observations known. Lower is riskier.",
            _errors,
            _step_table,
        ),
    )
    drawn = drawings(charts, document)
    return fitted(
        lambda most: framed(
            "trace.html.j2",
            document,
            charts=charts,
            drawn=drawn,
            most=most,
            measures=(),
            parts=PARTS,
            words=WORDS,
            verdict=trace_verdict(document),
            numbers=_numbers(document),
            steps=shown(_step_table(document), most),
            facts=[
                ("Source", document["source"]),
                ("Distortion", document["distortion"]),
                ("divulge", document["divulge"]),
                ("Version of the document", str(document["version"])),
            ],
        )
    )


def _numbers(document: Document) -> list[tuple[str, str, str]]:
    unit = document["error_unit"]
    return [
        ("Error on average", short(document["average"]), unit),
        ("Least error", short(document["worst"]), "at the step that is revealed most"),
        ("Path wrong", percent(document["path_error"]), "at one step or more"),
        ("Uncertainty left", f"{short(document['entropy'])} bits", "about the whole path"),
    ]


def _crowded(document: Document) -> bool:
    return len(document["states"]) > MOST_DRAWN


def _left_out(document: Document) -> str:
    more = len(document["steps"]) - MOST_DRAWN
    return f" Only the first {MOST_DRAWN} steps are drawn." if more > 0 else ""


def _as_belief(document: Document) -> dict[str, Any]:
    """The trace as a matrix of beliefs: a row for each state and a column for each of the first steps."""
    steps = document["steps"][:MOST_DRAWN]
    return {
        "belief": {
            "form": "matrix",
            "secrets": document["states"],
            "observations": [f"{number}: {one['observation']}" for number, one in enumerate(steps, 1)],
            "prior": document["prior"],
            "posterior": [one["posterior"] for one in steps],
            "left_out": 0,
            "note": "",
            "columns": None,
            "errors": None,
        }
    }


def _errors(document: Document) -> Spec | None:
    points = [(float(step), one["error"]) for step, one in enumerate(document["steps"], 1)]
    return error_line(document, points, "step") if len(points) > 1 else None


def _step_table(document: Document) -> ReportTable:
    head = {"step": "count", "observation": "text", "estimate": "text", "error": "number"}
    head |= {"error as it happened": "number", "path": "text"}
    names = ("observation", "estimate", "error", "error_then", "path")
    return table(
        head, ([step, *(one[name] for name in names)] for step, one in enumerate(document["steps"], 1))
    )
