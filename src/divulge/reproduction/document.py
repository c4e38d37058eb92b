"""What experiments give, as a document."""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import cast

from divulge import documents
from divulge._support.references import REFERENCES
from divulge.documents.papers.reproduction import (
    ExperimentEntry,
    FigureEntry,
    PaperEntry,
    PublishedEntry,
    ReproductionDocument,
    TabulationEntry,
)
from divulge.errors import MissingLibrary, Undefined
from divulge.reproduction.experiment import (
    Conditions,
    Experiment,
    Figure,
    Findings,
    PublishedNumber,
    Tabulation,
)
from divulge.reproduction.papers import paper


def reproduced(experiments: Iterable[Experiment], conditions: Conditions) -> ReproductionDocument:
    """Every experiment run, one after the other."""
    entries = [performed(one, conditions) for one in experiments]
    printed = [number["agrees"] for entry in entries for number in entry["numbers"]]
    names = dict.fromkeys(entry["paper"] for entry in entries)
    contents = {
        "papers": [_paper(name) for name in names],
        "agree": printed.count(True),
        "differ": printed.count(False),
        "experiments": entries,
    }
    return cast("ReproductionDocument", documents.headed("reproduction", contents))


def performed(experiment: Experiment, conditions: Conditions) -> ExperimentEntry:
    """One experiment run; where it cannot be, the reason stands in place of numbers."""
    start, undefined, found = time.perf_counter(), None, Findings()
    try:
        found = experiment.run(conditions)
    except (Undefined, MissingLibrary) as error:
        undefined = str(error)
    return {
        "paper": experiment.paper,
        "item": experiment.item,
        "title": experiment.title,
        "where": experiment.where,
        "shows": experiment.shows,
        "caveat": experiment.caveat,
        "full": conditions.full,
        "seconds": time.perf_counter() - start,
        "undefined": undefined,
        "numbers": [_number(one) for one in found.numbers],
        "claims": [{"says": one.says, "holds": one.holds, "why": one.why} for one in found.claims],
        "figures": [_figure(one) for one in found.figures],
        "tables": [_table(one) for one in found.tables],
        "notes": list(found.notes),
    }


def _paper(name: str) -> PaperEntry:
    found = paper(name)
    return {
        "name": found.name,
        "title": found.title,
        "references": [REFERENCES[key] for key in found.references],
    }


def _number(one: PublishedNumber) -> PublishedEntry:
    return {
        "what": one.what,
        "printed": one.printed,
        "ours": one.ours,
        "digit": one.digit,
        "tolerance": one.tolerance,
        "standard_error": one.standard_error,
        "agrees": one.agrees,
        "why": one.why,
    }


def _figure(one: Figure) -> FigureEntry:
    return {
        "title": one.title,
        "x": one.x,
        "y": one.y,
        "logarithmic": one.logarithmic,
        "categories": list(one.categories),
        "curves": [
            {
                "name": curve.name,
                "published": curve.published,
                "points": [[float(x), float(y)] for x, y in curve.points],
            }
            for curve in one.curves
        ],
    }


def _table(one: Tabulation) -> TabulationEntry:
    return {"title": one.title, "columns": list(one.columns), "rows": [list(row) for row in one.rows]}
