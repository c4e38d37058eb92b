"""A measurement as a page for the terminal: what was asked, the readings, and what to know about them."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Mapping
from typing import Any

from divulge._support.small_counts import hidden, hidden_part
from divulge._support.wording import WIDTH, aligned, enumerated, in_words, many, number
from divulge.cli.commands.people.population_lines import grouped, in_population
from divulge.cli.outputs import number_or_dash
from divulge.errors import counted
from divulge.readings.class_values import by_class, printed
from divulge.readings.printable_reading import rounded
from divulge.readings.reading import INFINITE, Reading
from divulge.readings.readings import Readings
from divulge.report.uniqueness_text import known_population

SIDE_BY_SIDE = 4  # measures that fit a line
SMALLEST = 0.001  # p-values below are told as that
USUAL_BY_VALUE = ("discrimination_rate", "itpr", "worst_posterior", "k_anonymity")


def page(
    readings: Readings,
    *,
    chosen: bool,
    by_value: bool,
    top: int | None,
    population: Mapping[str, Any] | None = None,
) -> list[str]:
    """The lines of a measurement; ``chosen`` says that its measures were named.

    ``population`` is what a table of the whole population says.
    """
    question, data = readings.question, readings.question.data
    left_out = [
        f"{in_words(hidden(records))} {why}"
        for records, why in (
            (question.suppressed_records, "suppressed"),
            (question.dropped_records, "with missing values"),
        )
        if records
    ]
    head = [
        f"{data.source.name}: {counted(data.records, 'record')}"
        + (f", left out: {' and '.join(left_out)}" if left_out else ""),
        f"What {enumerated(question.keys, most=5)} reveal{'s' if len(question.keys) == 1 else ''} about "
        f"{question.target_name} ({counted(question.counts.classes, 'group')})",
        *_conventions(readings),
    ]
    lines = [
        *(line for sentence in head for line in textwrap.wrap(sentence, WIDTH, subsequent_indent="  ")),
        "",
        *_identifiers(readings),
        "",
        *_table(readings),
        *_notes(readings),
    ]
    if any(reading.interval is not None for reading in readings):
        lines += ["", *in_population(readings)]
    if population is not None:
        counted_records = hidden_part(question.records, of=data.records)
        lines += ["", *known_population(population, counted_records)]
    if by_value:
        lines += ["", *_by_value(readings, chosen, top)]
    return lines


def _conventions(readings: Readings) -> list[str]:
    question, data = readings.question, readings.question.data
    missing = {
        name: question.missing_records(name)
        for name in (*question.keys, *(() if question.about_records else question.target))
    }
    lines = []
    if any(missing.values()):
        where = ", ".join(f"{name} {hidden(records)}" for name, records in missing.items() if records)
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


def _table(readings: Readings) -> list[str]:
    """A line for each reading; what unrelated data reach where that is known of some."""
    head = ["measure", "value", "unit", "riskier", "by chance", "adjusted", "noise", "p"]
    shown = len(head) if any(reading.p_value is not None for reading in readings) else len(head) - 2
    return aligned(head[:shown], [_row(reading)[:shown] for reading in readings], right=(1, *range(4, shown)))


def _row(reading: Reading) -> list[str]:
    unit, chance = reading.measure.unit, reading.chance
    beside = "".join(f", k = {value}" for value in reading.beside.values())
    return [
        reading.name + beside,
        _value(reading.said) if reading.value is not None else "undefined",
        unit,
        reading.measure.riskier,
        number_or_dash(rounded(chance, reading.question)),
        number_or_dash(rounded(reading.adjusted, reading.question)),
        number_or_dash(
            None if reading.noise is None else float(f"{rounded(reading.noise, reading.question):.2g}")
        ),
        "-" if reading.p_value is None else _p(reading.p_value),
    ]


def _notes(readings: Readings) -> list[str]:
    notes = [
        f"{enumerated(names, most=5)} {'is' if len(names) == 1 else 'are'} undefined: {reason}."
        for reason, names in grouped((r.undefined, r.measure.name) for r in readings)
    ]
    notes += [f"{r.name} is {r.measure.infinite}." for r in readings if r.value == math.inf]
    notes += [
        f"{enumerated(names, most=5)} compare{'s' if len(names) == 1 else ''} groups with {table}."
        for table, names in grouped(
            (r.compared_with, r.measure.name) for r in readings if r.value is not None
        )
    ]
    methods = sorted({str(r.at_chance.method) for r in readings if r.chance is not None} - {"exact"})
    notes += [
        f"By chance: exact, or the mean of {method} (seed {readings.seed}; standard errors in --json)."
        for method in methods
    ]
    notes += [
        f"No chance level for {enumerated(names, most=5)}: {reason}."
        for reason, names in grouped(
            (r.at_chance.reason, r.name) for r in readings if r.value is not None and r.measure.reads_target
        )
    ]
    if any(r.noise is not None for r in readings):
        notes.append(
            "Noise: the adjusted value that unrelated data of this shape reach; 1 in 100 exceeds it. "
            "p: how often unrelated data are as risky as these."
        )
    notes += [
        f"No noise and no p: {reason}."
        for reason in dict.fromkeys(r.at_chance.unsure for r in readings if r.at_chance.unsure is not None)
    ]
    test = readings.association
    if test is not None and test.p_value is not None and test.reach is not None:
        shared, expected, reach = (
            number(rounded(one, readings.question)) for one in (test.information, test.expected, test.reach)
        )
        notes.append(
            f"Are keys and target related? They share {shared} bits; unrelated data of "
            f"this shape share {expected} on average and up to {reach}; "
            f"p {'= ' if test.p_value >= SMALLEST else ''}{_p(test.p_value)}."
        )
    return ["", *(line for note in notes for line in textwrap.wrap(note, WIDTH, subsequent_indent="  "))]


def _p(value: float) -> str:
    """A p-value; how small a very small one is cannot be relied on."""
    return f"{value:.3f}" if value >= SMALLEST else f"< {SMALLEST}"


def _by_value(readings: Readings, chosen: bool, top: int | None) -> list[str]:
    """One line a class, sorted by the first measure that is shown, and what is not shown."""
    able = _with_classes(readings, chosen)
    shown = able[:SIDE_BY_SIDE]
    if not shown:
        return ["None of these measures has a value for single groups."]
    lines = printed(by_class(shown, top), shown[0].question)
    rows = [
        [
            *("(missing)" if value is None else str(value) for value in line[0].key.values()),
            str(said),
            *(_value(reading.shown(one.value, said)) for one, reading in zip(line, shown, strict=True)),
        ]
        for line, said in lines
    ]
    keys = list(shown[0].question.keys)
    numbers = range(len(keys), len(keys) + 1 + len(shown))
    table = aligned([*keys, "records", *(reading.name for reading in shown)], rows, right=numbers)
    classes = readings.question.counts.classes
    cut = [f"Shown: {many(len(lines))} of {many(classes)} groups, the riskiest."] * (len(lines) < classes)
    cut += [f"Shown: {len(shown)} of {len(able)} measures; --json has all."] * (len(shown) < len(able))
    return [*table, *cut]


def _with_classes(readings: Readings, chosen: bool) -> list[Reading]:
    """The readings that have a value for each class: those chosen, or the usual ones."""
    able = [r for r in readings if r.measure.by_class is not None and r.value is not None]
    return able if chosen else [r for name in USUAL_BY_VALUE for r in able if r.measure.name == name]


def _value(value: float | str | None) -> str:
    if isinstance(value, str):
        return "inf" if value == INFINITE else value
    return "-" if value is None else number(value)
