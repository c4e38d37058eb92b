"""The utility command: how well data serve a need, after the fact."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import typer

from divulge import documents
from divulge._support.wording import aligned, number
from divulge.cli.exit_codes import FAILED, NOT_EVALUATED
from divulge.cli.outputs import number_or_dash
from divulge.cli.progress import progress
from divulge.cli.requests.tables import UtilityRequest
from divulge.cli.tables import distinct_names, seed_of, sharing_memory
from divulge.cli.verbosity import opened
from divulge.documents import as_json
from divulge.questions.data import read
from divulge.utility import Need, NeedReading, read_needs, utility


def run_utility(asked: UtilityRequest) -> None:
    needs = read_needs(asked.need)
    with progress("Reading"):
        names = distinct_names(asked.files)
        found = [(name, _readings(asked, file, needs)) for name, file in zip(names, asked.files, strict=True)]
    if asked.as_json:
        tables = [{"file": file, "needs": [one.to_dict() for one in readings]} for file, readings in found]
        sys.stdout.write(as_json(documents.headed("utility", {"tables": tables})))
    else:
        print("\n".join(_page(found, asked.by_value)))
    readings = [one for _, some in found for one in some]
    if any(one.enough is False for one in readings):
        raise typer.Exit(FAILED)
    if any(one.utility is None for one in readings):
        raise typer.Exit(NOT_EVALUATED)


def _readings(asked: UtilityRequest, file: str, needs: Sequence[Need]) -> list[NeedReading]:
    """How well a table serves each need."""
    data = opened(read(file, **sharing_memory(asked.source, len(asked.files)).given()))
    seed = seed_of(asked.seed)
    return [utility(data, need, seed=seed, show_values=asked.by_value) for need in needs]


def _page(found: Sequence[tuple[str, Sequence[NeedReading]]], by_value: bool) -> list[str]:
    head = ["file", "need", "utility", "by chance", "adjusted", "asked", "enough"]
    rows = [
        [
            file,
            one.name,
            *map(number_or_dash, (one.utility, one.chance, one.adjusted)),
            "-" if one.at_least is None else f"at least {number(one.at_least)}",
            {True: "yes", False: "no", None: "-"}[one.enough],
        ]
        for file, readings in found
        for one in readings
    ]
    lines = aligned(head, rows, right=(2, 3, 4))
    lines += [
        f"{one.name} in {file} is undefined: {one.undefined}."
        for file, readings in found
        for one in readings
        if one.undefined is not None
    ]
    for file, readings in found if by_value else ():
        for one in readings:
            lines += ["", f"{one.name}, {file}"]
            lines += _by_value(one) or ["-"]
    return lines


def _by_value(one: NeedReading) -> list[str]:
    """A line for each value, with what as many records drawn at random would tell."""
    head = [", ".join(one.keys), "records", "utility", "by chance", "adjusted"]
    rows = [
        [line.label, str(line.records), *map(number_or_dash, (line.utility, line.chance, line.adjusted))]
        for line in one.lines
    ]
    return aligned(head, rows, right=(1, 2, 3, 4)) if rows else []
