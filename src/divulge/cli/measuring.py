"""The measure command: from options to readings to a table or JSON."""

from __future__ import annotations

import json
import math
import sys
import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import typer

from divulge.chance import SEED
from divulge.cli.progress import progress
from divulge.cli.table import WIDTH, aligned, number
from divulge.counts import RECORD
from divulge.data import Data, describe
from divulge.errors import ParameterError, SchemaError, UnknownAttribute, counted
from divulge.reading import SMALL, Reading, Readings, ValueReading
from divulge.reading import measure as measure_data
from divulge.source import open_source

NOT_EVALUATED = 3  # the exit code when what was asked for has no value
SHOWN_BY_VALUE = ("discrimination_rate", "itpr", "worst_posterior", "k_anonymity")


@dataclass(frozen=True)
class Request:
    """What was asked on the command line."""

    file: str
    keys: Sequence[str] | None
    target: Sequence[str] | None
    measures: Sequence[str] | None
    partitions: str | None
    by_value: bool
    top: int | None
    exact_counts: bool
    as_json: bool
    identifiers: Sequence[str] | None
    quasi_identifiers: Sequence[str] | None
    sensitive: Sequence[str] | None
    weights: str | None
    missing: Any
    missing_values: Sequence[str] | None
    suppressed: str | None
    hierarchies: Sequence[str] | None
    orders: Sequence[str] | None
    parameters: Sequence[str] | None
    permutations: int | None
    seed: int | None
    table: str | None
    separator: str | None
    quote: str | None
    encoding: str | None


def run(asked: Request) -> None:
    with progress("Counting"):
        readings = _measured(asked)
        if asked.as_json:
            found = readings.to_dict(by_value=asked.by_value, most=asked.top, exact_counts=asked.exact_counts)
            text = json.dumps(found, indent=2, ensure_ascii=False, allow_nan=False)
        else:
            text = "\n".join(_page(readings, asked))
    sys.stdout.write(text + "\n")
    if any(r.value is None for r in readings) and (asked.measures or all(r.value is None for r in readings)):
        raise typer.Exit(NOT_EVALUATED)


def _measured(asked: Request) -> Readings:
    source = open_source(
        asked.file,
        table=asked.table,
        separator=_unescaped(asked.separator),
        quote=asked.quote,
        encoding=asked.encoding,
    )
    attributes = source.attributes
    data = describe(
        source,
        identifiers=_split(asked.identifiers, attributes),
        quasi_identifiers=_split(asked.quasi_identifiers, attributes),
        sensitive=_split(asked.sensitive, attributes),
        weights=asked.weights,
        missing=asked.missing,
        missing_values=list(asked.missing_values or ()),
        suppressed=asked.suppressed,
        hierarchies=_pairs(asked.hierarchies, "--hierarchy", attributes),
        orders={
            name: [value.strip() for value in given.split(",")]
            for name, given in _pairs(asked.orders, "--order", attributes).items()
        },
    )
    return measure_data(
        data,
        _measures(asked),
        keys=_keys(asked, data),
        target=_target(asked, data),
        partitions=asked.partitions,
        permutations=asked.permutations,
        seed=SEED if asked.seed is None else asked.seed,
        **_parameters(asked),
    )


def _measures(asked: Request) -> list[str] | None:
    return [name for given in asked.measures for name in given.split(",")] if asked.measures else None


def _keys(asked: Request, data: Data) -> Sequence[str]:
    keys = _split(asked.keys, data.schema.attributes) or data.schema.quasi_identifiers
    if not keys:
        raise SchemaError(
            "No keys were given.",
            hint="Name what an attacker may know: --keys A,B (or --quasi-identifiers A,B).",
        )
    return keys


def _target(asked: Request, data: Data) -> Sequence[str]:
    if asked.target:
        return _split(asked.target, (*data.schema.attributes, RECORD))
    if len(data.schema.sensitive) == 1:
        return data.schema.sensitive
    return (RECORD,)


def _parameters(asked: Request) -> dict[str, Any]:
    if asked.parameters and not asked.measures:
        raise ParameterError(
            "--with goes with --measure.", hint="For example: --measure t_closeness --with ground=ordered"
        )
    given = _pairs(asked.parameters, "--with", None)
    return {name: _value(text) for name, text in given.items()}


def _value(text: str) -> object:
    if text in ("true", "false"):
        return text == "true"
    return int(text) if text.lstrip("-").isdigit() else text


def _split(given: Sequence[str] | None, attributes: Sequence[str]) -> tuple[str, ...]:
    """Names from repeated options, each one name or several with commas between; a name may hold commas."""
    found: list[str] = []
    for text in given or ():
        parts = [text] if text in attributes else [part.strip() for part in text.split(",") if part.strip()]
        for part in parts:
            if part not in attributes:
                raise UnknownAttribute(part, [name for name in attributes if name != RECORD])
            found.append(part)
    return tuple(found)


def _pairs(given: Sequence[str] | None, option: str, attributes: Sequence[str] | None) -> dict[str, str]:
    pairs: dict[str, str] = {}
    for text in given or ():
        name, equals, value = text.partition("=")
        if not equals or not name or not value:
            raise ParameterError(f"{option} takes NAME=VALUE, and '{text}' has no such form.")
        if attributes is not None and name not in attributes:
            raise UnknownAttribute(name, attributes)
        pairs[name] = value
    return pairs


def _unescaped(separator: str | None) -> str | None:
    return "\t" if separator in ("\\t", "tab") else separator


# -- the page ------------------------------------------------------------------------------------


def _page(readings: Readings, asked: Request) -> list[str]:
    question, data = readings.question, readings.question.data
    left_out = [
        f"{many} {why}"
        for many, why in (
            (question.suppressed_records, "suppressed"),
            (question.dropped_records, "with missing values"),
        )
        if many
    ]
    lines = [
        f"{data.source.name}: {counted(data.records, 'record')}"
        + (f", left out: {' and '.join(left_out)}" if left_out else ""),
        f"What {_and(question.keys)} tell{'s' if len(question.keys) == 1 else ''} about "
        f"{question.target_name} ({counted(question.counts.classes, 'class')})",
        *_conventions(readings),
        "",
        *_identifiers(readings),
        "",
        *aligned(
            ["measure", "value", "unit", "riskier", "by chance", "adjusted"],
            [_row(reading) for reading in readings],
            right=(1, 4, 5),
        ),
        *_notes(readings),
    ]
    if asked.by_value:
        lines += ["", *_by_value(readings, asked)]
    return lines


def _conventions(readings: Readings) -> list[str]:
    question, data = readings.question, readings.question.data
    missing = {
        name: question.missing_records(name)
        for name in (*question.keys, *(() if question.about_records else question.target))
    }
    lines = []
    if any(missing.values()):
        where = ", ".join(f"{name} {many}" for name, many in missing.items() if many)
        says = {
            "value": "counted as a value",
            "drop": "such records dropped",
            "wildcard": "matching anything",
        }
        lines.append(f"Missing values ({where}): {says[data.missing]}")
    if data.weights:
        lines.append(f"Probabilities are weighted by {data.weights}")
    if question.partitions:
        lines.append("Under partitions of " + ", ".join(question.partitions))
    return lines


def _identifiers(readings: Readings) -> list[str]:
    rows = [[key, str(found or "undefined")] for key, found in readings.identifier_classes.items()]
    if len(rows) > 1:
        rows.append(["together", str(readings.identifier_class or "undefined")])
    return aligned(["key", "identifier class"], rows)


def _row(reading: Reading) -> list[str]:
    unit, chance = reading.measure.unit, reading.chance
    beside = "".join(f", k = {value}" for value in reading.beside.values())
    return [
        reading.name + beside,
        "undefined" if reading.value is None else number(reading.value),
        unit,
        reading.measure.riskier,
        "-" if chance is None else number(chance),
        "-" if reading.adjusted is None else number(reading.adjusted),
    ]


def _notes(readings: Readings) -> list[str]:
    notes = [
        f"{_and(names)} {'is' if len(names) == 1 else 'are'} undefined: {reason}."
        for reason, names in _grouped((r.undefined, r.measure.name) for r in readings)
    ]
    notes += [f"{r.name} is {r.measure.infinite}." for r in readings if r.value == math.inf]
    methods = sorted({str(r.at_chance.method) for r in readings if r.chance is not None} - {"exact"})
    notes += [f"By chance: exact, or the mean of {method} (seed {readings.seed})." for method in methods]
    notes += [
        f"No chance level for {_and(names)}: {reason}."
        for reason, names in _grouped(
            (r.at_chance.reason, r.name) for r in readings if r.value is not None and r.measure.reads_target
        )
    ]
    if readings.association is not None:
        test = readings.association
        notes.append(
            f"Likelihood-ratio test that keys and target are unrelated: G = {number(test.statistic)}, "
            f"{counted(test.degrees_of_freedom, 'degree')} of freedom, p {_p(test.p_value)}."
            + (
                ""
                if test.reliable
                else f" With {number(test.records_per_cell)} records per cell, do not rely on p."
            )
        )
    return ["", *(line for note in notes for line in textwrap.wrap(note, WIDTH, subsequent_indent="  "))]


def _grouped(pairs: Iterable[tuple[str | None, str]]) -> list[tuple[str, list[str]]]:
    """Names by the reason they share, reasons in the order in which they first come."""
    groups: dict[str, list[str]] = {}
    for reason, name in pairs:
        if reason is not None:
            groups.setdefault(reason, []).append(name)
    return list(groups.items())


def _and(names: Sequence[str]) -> str:
    if len(names) > 5:
        return f"{', '.join(names[:4])} and {len(names) - 4} more"
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


def _p(value: float) -> str:
    return f"= {value:.3g}" if value > 1e-300 else "< 1e-300"


def _by_value(readings: Readings, asked: Request) -> list[str]:
    """One line a class, sorted by the first measure that is shown."""
    shown = [r for r in readings if r.measure.by_class is not None and r.value is not None]
    if asked.measures is None:
        shown = [r for name in SHOWN_BY_VALUE for r in shown if r.measure.name == name]
    if not shown:
        return ["None of these measures has a value for single classes."]
    shown = shown[:4]
    first = shown[0].riskiest(asked.top)
    others = [{_place(v): v for v in r.by_value} for r in shown[1:]]
    rows = [
        [
            *("(missing)" if value is None else str(value) for value in line.key.values()),
            _records(line, asked.exact_counts),
            *(
                _shown(v, r, asked.exact_counts)
                for v, r in zip([line, *(o[_place(line)] for o in others)], shown, strict=True)
            ),
        ]
        for line in first
    ]
    keys = list(readings.question.keys)
    return aligned(
        [*keys, "records", *(r.name for r in shown)], rows, right=range(len(keys), len(keys) + 1 + len(shown))
    )


def _place(line: ValueReading) -> tuple[object, ...]:
    return tuple(line.key.values())


def _records(line: ValueReading, exact: bool) -> str:
    return f"<{SMALL}" if line.records < SMALL and not exact else str(line.records)


def _shown(line: ValueReading, reading: Reading, exact: bool) -> str:
    if reading.measure.unit == "records" and line.records < SMALL and not exact:
        return f"<{SMALL}"
    return number(line.value)
