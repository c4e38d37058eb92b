"""The measure command: from options to readings to a table or JSON."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import typer

from divulge._support.stages import Stage
from divulge.api import measure as measure_data
from divulge.cli.commands.measure_page import page
from divulge.cli.exit_codes import NOT_EVALUATED
from divulge.cli.progress import progress
from divulge.cli.requests.tables import MeasureRequest
from divulge.cli.tables import pairs, seed_of, split, table_with_roles
from divulge.counting.counts import RECORD
from divulge.documents import as_json
from divulge.errors import ParameterError, SchemaError
from divulge.questions.data import Data
from divulge.readings.reading import Readings

MOST_LINES = 10_000  # classes listed unasked


def run_measure(asked: MeasureRequest) -> None:
    by_value = asked.by_value or asked.top is not None
    with progress("Counting") as stage:
        readings = _measured(asked, stage)
        top = _lines(asked, readings) if by_value else None
        if asked.as_json:
            text = as_json(readings.to_dict(by_value=by_value, most=top, sample=asked.sample))
        else:
            chosen = asked.measures is not None
            text = "\n".join(
                [*page(readings, chosen=chosen, by_value=by_value, top=top, sample=asked.sample), ""]
            )
    sys.stdout.write(text)
    if any(r.value is None for r in readings) and (asked.measures or all(r.value is None for r in readings)):
        raise typer.Exit(NOT_EVALUATED)


def _lines(asked: MeasureRequest, readings: Readings) -> int | None:
    """How many classes to list: as many as asked for, or all up to a number that can still be read."""
    classes = readings.question.counts.classes
    if asked.top is not None or classes <= MOST_LINES:
        return asked.top
    print(
        f"Listed are the {MOST_LINES} riskiest of {classes} classes; ask for more with --top.",
        file=sys.stderr,
    )
    return MOST_LINES


def _measured(asked: MeasureRequest, stage: Stage) -> Readings:
    data = table_with_roles(asked)
    return measure_data(
        data,
        [name for given in asked.measures for name in given.split(",")] if asked.measures else None,
        keys=_keys(asked, data),
        target=_target(asked, data),
        partitions=asked.partitions,
        permutations=asked.permutations,
        seed=seed_of(asked.seed),
        stage=stage,
        **_parameters(asked),
    )


def _keys(asked: MeasureRequest, data: Data) -> Sequence[str]:
    keys = split(asked.keys, data.schema.attributes) or data.schema.quasi_identifiers
    if not keys:
        raise SchemaError(
            "No keys were given.",
            hint="Name what an attacker may know: --keys A,B (or --quasi-identifiers A,B).",
        )
    return keys


def _target(asked: MeasureRequest, data: Data) -> Sequence[str]:
    if asked.target:
        return split(asked.target, (*data.schema.attributes, RECORD))
    if len(data.schema.sensitive) == 1:
        return data.schema.sensitive
    return (RECORD,)


def _parameters(asked: MeasureRequest) -> dict[str, Any]:
    if asked.parameters and not asked.measures:
        raise ParameterError(
            "--with goes with --measure.", hint="For example: --measure t_closeness --with ground=ordered"
        )
    given = pairs(asked.parameters, "--with", None)
    return {name: _value(text) for name, text in given.items()}


def _value(text: str) -> object:
    if text in ("true", "false"):
        return text == "true"
    return int(text) if text.lstrip("-").isdigit() else text
