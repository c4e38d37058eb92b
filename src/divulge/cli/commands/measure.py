"""The measure command: from options to readings to a table or JSON."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import typer

from divulge._support.stages import Stage
from divulge._support.wording import many
from divulge.api import measure as measure_data
from divulge.cli.commands.measure_page import page
from divulge.cli.exit_codes import NOT_EVALUATED
from divulge.cli.outputs import PRINTED, refuse_outputs
from divulge.cli.progress import progress
from divulge.cli.requests.tables import MeasureRequest
from divulge.cli.table_files import csv_text
from divulge.cli.tables import pairs, refuse_number, seed_of, split, table_with_roles
from divulge.cli.verbosity import opened
from divulge.counting.counts import RECORD
from divulge.documents import as_json
from divulge.errors import ParameterError
from divulge.questions.data import Data, read
from divulge.readings.population_interval import LEVEL
from divulge.readings.readings import Readings
from divulge.report.shared.writing import write
from divulge.uniques.account import uniqueness

MOST_LINES = 10_000  # classes listed unasked


def run_measure(asked: MeasureRequest) -> None:
    by_value = asked.by_value or asked.top is not None
    if asked.as_json and asked.csv == PRINTED:
        raise ParameterError("--json and --csv - cannot both be printed.", hint="Name a file for one.")
    refuse_number(asked.population, "audit or uniqueness")
    refuse_outputs(asked.csv, inputs=(asked.file, asked.partitions, asked.population))
    with progress("Counting") as stage:
        readings = _measured(asked, stage)
        top = _lines(asked, readings) if by_value else None
        whole = _population(asked, readings, stage)
        table = None if asked.csv is None else csv_text(readings.columns())
        if asked.csv == PRINTED:
            text = table or ""
        elif asked.as_json:
            document = readings.to_dict(by_value=by_value, most=top)
            text = as_json(document if whole is None else {**document, "population": whole})
        else:
            chosen = asked.measures is not None
            lines = page(readings, chosen=chosen, by_value=by_value, top=top, population=whole)
            text = "\n".join([*lines, ""])
    if table is not None and asked.csv is not None and asked.csv != PRINTED:
        write(Path(asked.csv), table)
    sys.stdout.write(text)
    if any(r.value is None for r in readings) and (asked.measures or all(r.value is None for r in readings)):
        raise typer.Exit(NOT_EVALUATED)


def _lines(asked: MeasureRequest, readings: Readings) -> int | None:
    """How many classes to list: as many as asked for, or all up to a number that can still be read."""
    classes = readings.question.counts.classes
    if asked.top is not None or classes <= MOST_LINES:
        return asked.top
    if not asked.as_json:  # the page says it itself
        return MOST_LINES
    print(
        f"Shown: {many(MOST_LINES)} of {many(classes)} groups, the riskiest. Ask for more with --top.",
        file=sys.stderr,
    )
    return MOST_LINES


def _measured(asked: MeasureRequest, stage: Stage) -> Readings:
    data = opened(table_with_roles(asked))
    return measure_data(
        data,
        [name for given in asked.measures for name in given.split(",")] if asked.measures else None,
        keys=split(asked.keys, data.schema.attributes),
        target=_target(asked, data),
        partitions=asked.partitions,
        permutations=asked.permutations,
        seed=seed_of(asked.seed),
        interval=LEVEL if asked.interval is None and asked.sample else asked.interval,
        stage=stage,
        **_parameters(asked),
    )


def _population(asked: MeasureRequest, readings: Readings, stage: Stage) -> dict[str, Any] | None:
    """What a table of the whole population says of the records; None where there is none."""
    if asked.population is None:
        return None
    question = readings.question
    found = uniqueness(
        replace(question.data, weights=None),  # how many people there are is known, not estimated
        keys=question.keys,
        partitions=question.partitions,
        population=read(asked.population, **asked.source.given("file")),
        stage=stage,
    )
    return found.in_known_population()


def _target(asked: MeasureRequest, data: Data) -> Sequence[str]:
    """What is to be learned: as asked, or the one sensitive attribute, or which record is whose."""
    given = split(asked.target, (*data.schema.attributes, RECORD))
    keys = split(asked.keys, data.schema.attributes) or data.schema.quasi_identifiers
    only = [name for name in data.schema.sensitive if name not in keys]
    return given or (only if len(data.schema.sensitive) == 1 else ()) or (RECORD,)


def _parameters(asked: MeasureRequest) -> dict[str, Any]:
    if asked.parameters and not asked.measures:
        raise ParameterError(
            "--with needs --measure.", hint="For example: --measure t_closeness --with ground=ordered"
        )
    given = pairs(asked.parameters, "--with", None)
    return {name: _value(text) for name, text in given.items()}


def _value(text: str) -> object:
    if text in ("true", "false"):
        return text == "true"
    return int(text) if text.lstrip("-").isdigit() else text
