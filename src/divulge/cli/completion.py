"""What a shell may complete beside commands, options and files: attributes, measures and words to choose."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path

import typer

from divulge._support.header import first_line

LONGEST = 1 << 16  # characters of the beginning of a file that are looked at
LINES = 50
SEPARATORS = ",;\t|"


def attributes(ctx: typer.Context, incomplete: str) -> Iterator[str]:
    """Attributes of the CSV file that the command names, after those that are typed already."""
    typed, comma, _ = incomplete.rpartition(",")
    given = set(typed.split(","))
    file = next(iter(ctx.args), None) or ctx.params.get("file")  # what is not parsed, an option being open
    for name in _names(file):
        if name not in given and "," not in name:
            yield f"{typed}{comma}{name}"


def _names(file: object) -> Sequence[str]:
    """The names in the first line of a plain CSV file; none where it may be a record."""
    if not isinstance(file, str) or Path(file).suffix.lower() not in (".csv", ".tsv", ".txt"):
        return ()
    try:
        with open(file, encoding="utf-8-sig", newline="") as opened:
            head = opened.read(LONGEST).splitlines()
    except (OSError, ValueError):
        return ()
    separator = max(SEPARATORS, key=head[0].count) if head else ","
    rows = list(islice(csv.reader(head[:-1] or head, delimiter=separator), LINES))
    return rows[0] if rows and first_line(rows[0], rows[1:]) == "names" else ()


def measures(incomplete: str) -> Iterator[str]:
    """Names of measures."""
    from divulge.measures import MEASURES

    yield from MEASURES


def explained(incomplete: str) -> Iterator[str]:
    """What the guide explains: measures and mechanisms."""
    from divulge.mechanisms import MECHANISMS

    yield from ("measures", "mechanisms")
    yield from measures(incomplete)
    yield from MECHANISMS


def papers(incomplete: str) -> Iterator[str]:
    """Short names of papers."""
    from divulge.reproduction.papers import MODULES

    yield from MODULES


def words(choices: Sequence[str]) -> Callable[[str], list[str]]:
    """The words that an option takes."""
    return lambda incomplete: list(choices)
