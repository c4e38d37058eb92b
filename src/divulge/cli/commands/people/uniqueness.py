"""The uniqueness command: who is unique in the table and in the population, and how special."""

from __future__ import annotations

import csv
import io
import sys
from pathlib import Path

import typer

from divulge.cli.exit_codes import NOT_EVALUATED
from divulge.cli.outputs import refuse_outputs
from divulge.cli.progress import progress
from divulge.cli.requests.uniqueness import UniquenessRequest
from divulge.cli.tables import split, table_with_identifiers
from divulge.documents import as_json
from divulge.errors import ParameterError, not_among
from divulge.questions.data import read
from divulge.report.shared.writing import write
from divulge.report.uniqueness_text import page
from divulge.uniques.account import Uniqueness, uniqueness
from divulge.uniques.loglinear_estimates import LOGLINEAR
from divulge.uniques.population_models import MODELS
from divulge.uniques.special_scores import named_scale


def run_uniqueness(asked: UniquenessRequest) -> None:
    models, scores = _models(asked), named_scale(asked.scores)
    refuse_outputs(asked.records, inputs=(asked.file, asked.population))
    with progress("Reading") as stage:
        data, whole = table_with_identifiers(asked), None
        if asked.population is not None:
            whole = read(asked.population, **asked.source.given("file"))
        found = uniqueness(
            data,
            keys=split(asked.keys, data.schema.attributes),
            population=whole,
            size=asked.population_size,
            fraction=asked.fraction,
            special=asked.special or asked.largest is not None,
            largest=asked.largest,
            scores=scores,
            household=asked.household,
            models=() if models is None and whole is not None and not asked.as_json else models,
            show_values=asked.show_values,
            stage=stage,
        )
        stage("Fitting models")
        document = found.to_dict()
        if asked.records is not None:
            write(Path(asked.records), _record_lines(found), private=True)
    sys.stdout.write(as_json(document) if asked.as_json else "\n".join([*page(document), ""]))
    if models and any(one["uniques"] is None for one in document["population"].values()):
        raise typer.Exit(NOT_EVALUATED)


def _models(asked: UniquenessRequest) -> tuple[str, ...] | None:
    """The models asked for by name; None where all are."""
    if asked.models is None:
        return None
    known = (*MODELS, *LOGLINEAR)
    named = tuple(name for given in asked.models for name in given.split(","))
    for name in named:
        if name not in known:
            words, hint = not_among(name, known, "model")
            raise ParameterError(words, hint=hint)
    if (asked.population, asked.population_size, asked.fraction, asked.source.weights) == (None,) * 4:
        raise ParameterError(
            "A model was asked for, but not what the table is a sample of.",
            hint="Give --population-size N, --fraction F, --weights A or --population FILE.",
        )
    return named


def _record_lines(found: Uniqueness) -> str:
    """One line for each record; sets of attributes as A+B, several apart by a semicolon."""
    table, text = found.records(), io.StringIO()
    lines = csv.writer(text, lineterminator="\n")
    lines.writerow(table)
    for row in zip(*table.values(), strict=True):
        lines.writerow(map(_cell, row))
    return text.getvalue()


def _cell(value: object) -> object:
    return "; ".join("+".join(one) for one in value) if isinstance(value, list) else value
