"""What a table is a sample of and needed for: files that may hold the population, and how one is read."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from divulge.explore.choosing.choices import Choices
from divulge.explore.choosing.history import History
from divulge.questions.data import Data, read
from divulge.source.formats.recognition import FORMATS
from divulge.source.options import OPTIONS, READING
from divulge.utility import as_needs

MOST_FILES = 100  # beside the table that are offered
ENDINGS = {".csv", ".tsv", ".txt", *(ending for one in FORMATS for ending in one.endings)}


def files_beside(table: str) -> list[str]:
    """The tables in the folder of a table, but for itself."""
    folder = Path(table).parent
    try:
        found = sorted(one for one in folder.iterdir() if one.is_file() and one.name != Path(table).name)
    except OSError:
        return []
    known = [str(one) for one in found if one.suffix.lower() in ENDINGS]
    return known[:MOST_FILES]


def population_files(table: str, history: History) -> list[str]:
    """The files that may be chosen: those beside the table, and those that were named at the start."""
    states = (*history.states, *history.pins.values())
    named = [str(one.population["source"]) for one in states if "source" in one.population]
    return list(dict.fromkeys([*named, *files_beside(table)]))


def with_sample_and_needs(
    choices: Choices, population: Mapping[str, Any] | None, needs: Mapping[str, Any] | None
) -> Choices:
    """Choices with what was said of the population and of needs, each checked as a change is."""
    said = {"population": population, "needs": needs}
    return choices.changed({name: one for name, one in said.items() if one is not None})


def without_lost_attributes(choices: Choices) -> Choices:
    """The same without needs and weights of attributes that are no longer there."""
    known = choices.roles
    named = [choices.population[key] for key in ("weight", "household") if key in choices.population]
    population = choices.population if all(name in known for name in named) else {}
    needs = {
        one.name: choices.needs[one.name]
        for one in as_needs(choices.needs or None)
        if all(name in known for name in (*one.keys, one.target))
    }
    return replace(choices, population=population, needs=needs)


def beside(table: str, source: str) -> str:
    """The path of a file from the folder of the table, where the files of an archive are put."""
    return os.path.relpath(source, Path(table).parent)


def read_population(data: Data, source: str, reading: Mapping[str, Any]) -> Data:
    """A table of the population, read like the data."""
    said = {
        name: one for name, one in reading.items() if name in OPTIONS and OPTIONS[name].concerns in READING
    }
    said.pop("table", None)
    return read(
        source,
        missing=data.missing,
        missing_values=tuple(data.missing_values),
        suppressed=data.suppressed,
        **said,
    ).one_by_one()
