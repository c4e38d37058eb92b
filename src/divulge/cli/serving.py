"""The utility command: how well data serve a need, after the fact."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import typer

from divulge import documents
from divulge.chance import SEED
from divulge.cli.progress import progress
from divulge.cli.reading import distinct_names, unescaped
from divulge.data import read
from divulge.report.saving import as_json
from divulge.utility import NeedReading, read_needs, utility
from divulge.wording import aligned, number

NOT_EVALUATED, NOT_ENOUGH = 3, 1


@dataclass(frozen=True)
class Serve:
    """What was asked of the utility command."""

    files: Sequence[str]
    need: str
    by_value: bool
    exact_counts: bool
    as_json: bool
    missing: Any
    missing_values: Sequence[str] | None
    suppressed: str
    seed: int | None
    separator: str | None
    quote: str | None
    encoding: str | None


def run_utility(asked: Serve) -> None:
    needs = read_needs(asked.need)
    with progress("Reading"):
        names = distinct_names(asked.files)
        found = [
            (name, [_read(asked, file, need) for need in needs])
            for name, file in zip(names, asked.files, strict=True)
        ]
    if asked.as_json:
        tables = [{"file": file, "needs": [one.to_dict() for one in readings]} for file, readings in found]
        sys.stdout.write(as_json(documents.headed("utility", {"tables": tables})))
    else:
        print("\n".join(_page(found, asked.by_value)))
    readings = [one for _, some in found for one in some]
    if any(one.enough is False for one in readings):
        raise typer.Exit(NOT_ENOUGH)
    if any(one.utility is None for one in readings):
        raise typer.Exit(NOT_EVALUATED)


def _read(asked: Serve, file: str, need: Any) -> NeedReading:
    data = read(
        file,
        missing=asked.missing,
        missing_values=list(asked.missing_values or ()),
        suppressed=asked.suppressed or None,
        separator=unescaped(asked.separator),
        quote=asked.quote,
        encoding=asked.encoding,
    )
    seed = SEED if asked.seed is None else asked.seed
    return utility(data, need, seed=seed, show_values=asked.by_value)


def _page(found: Sequence[tuple[str, Sequence[NeedReading]]], by_value: bool) -> list[str]:
    head = ["file", "need", "utility", "by chance", "adjusted", "asked", "enough"]
    rows = [
        [
            file,
            one.name,
            _number(one.utility),
            _number(one.chance),
            _number(one.adjusted),
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
        [line.label, str(line.records), *map(_number, (line.utility, line.chance, line.adjusted))]
        for line in one.lines
    ]
    return aligned(head, rows, right=(1, 2, 3, 4)) if rows else []


def _number(value: float | None) -> str:
    return "-" if value is None else number(value)
