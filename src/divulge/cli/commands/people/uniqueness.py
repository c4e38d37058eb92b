"""The uniqueness command: who is unique in the table and in the population, and how special."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import typer

from divulge.cli.exit_codes import NOT_EVALUATED
from divulge.cli.outputs import refuse_outputs
from divulge.cli.progress import progress
from divulge.cli.requests.uniqueness import UniquenessRequest
from divulge.cli.table_files import refuse_records, write_records
from divulge.cli.tables import population_file, split, table_with_identifiers
from divulge.documents import as_json
from divulge.errors import ParameterError, not_among
from divulge.questions.data import read
from divulge.readings.frames import FrameColumn
from divulge.report.uniqueness_text import page
from divulge.uniques.account import Uniqueness, uniqueness
from divulge.uniques.loglinear_estimates import LOGLINEAR
from divulge.uniques.population_models import MODELS
from divulge.uniques.special_scores import named_scale


def run_uniqueness(asked: UniquenessRequest) -> None:
    models, scores = _models(asked), named_scale(asked.scores)
    file = population_file(asked)
    refuse_outputs(asked.records, inputs=(asked.file, file))
    if asked.records is not None:
        refuse_records(Path(asked.records), overwrite=asked.overwrite)
    with progress("Reading") as stage:
        data, whole = table_with_identifiers(asked), None
        if file is not None:
            whole = read(file, **asked.source.given("file"))
        found = uniqueness(
            data,
            keys=split(asked.keys, data.schema.attributes),
            population=whole,
            size=None if asked.population is None or file is not None else int(asked.population),
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
            write_records(Path(asked.records), _record_columns(found))
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
    if (asked.population, asked.fraction, asked.source.weights) == (None,) * 3:
        raise ParameterError(
            "A model was asked for, but not what the table is a sample of.",
            hint="Give --population N, --population FILE, --fraction F or --weights A.",
        )
    return named


_TYPES = {"row": int, "group_size": int, "people": int, "minimal_sets": str}  # all else are rates


def _record_columns(found: Uniqueness) -> dict[str, FrameColumn]:
    """One line for each record; sets of attributes as A+B, several apart by a semicolon."""
    table = found.records()
    if "minimal_sets" in table:
        table["minimal_sets"] = ["; ".join("+".join(one) for one in some) for some in table["minimal_sets"]]
    return {name: _column(_TYPES.get(name, float), values) for name, values in table.items()}


def _column(kind: Any, values: list[Any]) -> FrameColumn:
    missing = np.array([one is None for one in values], bool)
    return FrameColumn(kind, [kind() if one is None else one for one in values], missing)
