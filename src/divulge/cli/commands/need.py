"""How well one table serves a need: what compare says where no release is given."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import typer

from divulge import documents
from divulge._support.wording import aligned, number
from divulge.cli.exit_codes import FAILED, NOT_EVALUATED
from divulge.cli.outputs import number_or_dash
from divulge.cli.progress import progress
from divulge.cli.requests.tables import CompareRequest
from divulge.cli.tables import file_name, seed_of, table_under
from divulge.cli.verbosity import opened
from divulge.documents import as_json
from divulge.policy import Policy
from divulge.utility import NeedReading, read_needs, utility


def run_need(asked: CompareRequest) -> None:
    needs = read_needs(asked.need or "")
    policy = None if asked.policy is None else Policy.read(asked.policy)
    with progress("Reading"):
        data, file = opened(table_under(policy, asked)), file_name(asked.file)
        seed, lines = seed_of(asked.seed), asked.show_values
        readings = [utility(data, need, seed=seed, show_values=lines) for need in needs]
    if asked.as_json:
        table = {"file": file, "needs": [one.to_dict() for one in readings]}
        sys.stdout.write(as_json(documents.headed("utility", {"tables": [table]})))
    else:
        print("\n".join(_page([(file, readings)], lines)))
    if any(one.enough is False for one in readings):
        raise typer.Exit(FAILED)
    if any(one.utility is None for one in readings):
        raise typer.Exit(NOT_EVALUATED)


def _page(found: Sequence[tuple[str, Sequence[NeedReading]]], show_values: bool) -> list[str]:
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
    for file, readings in found if show_values else ():
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
