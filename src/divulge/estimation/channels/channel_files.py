"""A channel and its prior from CSV files."""

from __future__ import annotations

import csv
import os
from collections.abc import Sequence
from pathlib import Path

from divulge.errors import EmptySource, MissingSource, ParameterError, SourceError, counted
from divulge.limits.ordinary_files import refuse_unreadable_text
from divulge.table.codes import as_number

PRIOR = "prior"


# Prior, p(y|x), names of inputs and of outputs, as files have them.
WrittenChannel = tuple[list[float], list[list[float]], list[str], list[str]]


def read_channel(path: str | os.PathLike[str], prior: str | os.PathLike[str] | None = None) -> WrittenChannel:
    """A channel from a CSV file: a header of output names, then a row for each input with its name first.

    The prior is a file of its own with a name and a probability in each row, or the column ``prior`` of the
    channel's file, right after the names. With neither, all inputs are taken as equally likely.
    """
    inputs, outputs, numbers = read_matrix(
        path, "channel", "Give a probability in each cell after the name. For a table of records use --table."
    )
    own = outputs[0].casefold() == PRIOR
    if own and prior is not None:
        raise ParameterError(f"'{Path(path).name}' has a prior of its own, and another is given.")
    if own:
        chances = [row[0] for row in numbers]
    else:
        chances = [1 / len(inputs)] * len(inputs) if prior is None else read_prior_of(prior, inputs)
    return chances, [row[own:] for row in numbers], inputs, outputs[own:]


def read_matrix(
    path: str | os.PathLike[str], what: str, numbers_hint: str = "Give a number in each cell after the name."
) -> tuple[list[str], list[str], list[list[float]]]:
    """Names of rows, names of columns and the numbers between them, from a CSV file with a header."""
    header, *rows = _lines(path)
    if not rows or len(header) < 2:
        raise ParameterError(
            f"'{Path(path).name}' contains no {what}.",
            hint="Write a header of names, then a row for each input with its name first.",
        )
    for number, row in enumerate(rows, 2):
        if len(row) != len(header):
            raise ParameterError(
                f"'{Path(path).name}', row {number}: {len(row)} cells where the header has {len(header)}."
            )
    numbers = [[as_number(cell) for cell in row[1:]] for row in rows]
    strange = sum(number != number for row in numbers for number in row)
    if strange:
        raise ParameterError(
            f"'{Path(path).name}' is not a {what}: {strange} of its cells are not numbers.",
            hint=numbers_hint,
        )
    return [row[0] for row in rows], header[1:], numbers


def read_rows_of(
    path: str | os.PathLike[str], what: str, names: Sequence[str]
) -> tuple[list[str], list[list[float]]]:
    """The names of the columns and the numbers of a file, its rows in the order of some names."""
    rows, columns, numbers = read_matrix(path, what)
    found = dict(zip(rows, numbers, strict=True))
    lacking = sum(name not in found for name in names)
    if lacking or len(found) != len(names) or len(found) < len(rows):
        raise ParameterError(
            f"The rows of '{Path(path).name}' do not fit: {lacking} of the {len(names)} names that it needs "
            f"have none, and it has {len(rows)} rows.",
            hint="Give one row to each of the names that go in: they are those of the file before it.",
        )
    return columns, [found[name] for name in names]


def read_names(path: str | os.PathLike[str]) -> list[str]:
    """Names from a file, one in each row or several with commas between."""
    return [cell for row in _lines(path) for cell in row if cell]


def read_prior(path: str | os.PathLike[str]) -> tuple[list[str], list[float]]:
    """The names of the secrets, each once, and their probabilities, from a CSV file with both in each row."""
    names, chances = _pairs(path)
    if len(set(names)) < len(names):
        raise ParameterError(
            f"'{Path(path).name}' has {len(names)} rows for {counted(len(set(names)), 'name')}.",
            hint="Give each name one row.",
        )
    return names, chances


def _pairs(path: str | os.PathLike[str]) -> tuple[list[str], list[float]]:
    """A name and a number of each row; a first row whose second cell is no number is a header."""
    rows = _lines(path)
    if any(len(row) != 2 for row in rows):
        raise ParameterError(
            f"'{Path(path).name}' is not a prior: it needs two cells in each row.",
            hint="Write the name of a secret and its probability, with a comma between.",
        )
    if as_number(rows[0][1]) != as_number(rows[0][1]):
        rows = rows[1:]
    return [name for name, _ in rows], [as_number(chance) for _, chance in rows]


def read_prior_of(path: str | os.PathLike[str], inputs: Sequence[str]) -> list[float]:
    """The probability of each input."""
    names, chances = _pairs(path)
    found = dict(zip(names, chances, strict=True))
    strangers, lacking = set(found) - set(inputs), set(inputs) - set(found)
    if strangers or lacking or len(found) < len(names):
        raise ParameterError(
            f"The prior in '{Path(path).name}' does not fit the channel: {len(lacking)} inputs have none, "
            f"{len(strangers)} names are not inputs, {len(names) - len(found)} are repeated.",
            hint="Give each input of the channel one row.",
        )
    return [found[name] for name in inputs]


def _lines(path: str | os.PathLike[str]) -> list[list[str]]:
    """The rows of a CSV file, cells stripped of spaces and empty rows left out."""
    refuse_unreadable_text(Path(path))
    try:
        with open(path, encoding="utf-8-sig", newline="") as file:
            rows = [[cell.strip() for cell in row] for row in csv.reader(file)]
    except FileNotFoundError:
        raise MissingSource(f"No file '{path}'.") from None
    except (OSError, UnicodeDecodeError, ValueError, csv.Error):
        raise SourceError(f"'{path}' cannot be read as a CSV file.") from None
    rows = [row for row in rows if any(row)]
    if not rows:
        raise EmptySource(f"'{path}' is empty.", hint="Check that it was written to the end.")
    return rows
