"""The slow, sure way through a CSV file: every row is counted and copied in a form DuckDB is sure to read."""

from __future__ import annotations

import csv
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import IO

from divulge.errors import SourceError
from divulge.source.dialect import (
    LONGEST_FIELD,
    SEPARATORS,
    Dialect,
    long_fields,
    reader_options,
    wanted_lines,
)

_CORRECT = "Correct that line, or name the separator or quote if these were guessed wrongly."
_HINT = "Correct that line, or name the quote the file uses."


@contextmanager
def rewritten(name: str, path: Path, dialect: Dialect) -> Iterator[tuple[Path, Dialect, int]]:
    """A copy in UTF-8 with commas, double quotes and plain line ends, and bytes that hold its longest row."""
    with tempfile.TemporaryDirectory(prefix="divulge-") as folder:
        copy = Path(folder) / "copy.csv"
        with (
            path.open(encoding=dialect.encoding, newline="") as source,
            copy.open("w", encoding="utf-8", newline="") as target,
        ):
            longest = _copy(name, source, target, dialect)
        plain = replace(
            dialect, encoding="utf-8", separator=",", quote='"', skip=int(dialect.headed), before=0
        )
        yield copy, plain, longest


class _WantedLines:
    """The lines of a file that are read, and the number of the first one of a row."""

    def __init__(self, source: IO[str], dialect: Dialect) -> None:
        self.lines = wanted_lines(source, dialect.before, dialect.comment)
        self.row = 0

    def __iter__(self) -> Iterator[str]:
        for number, line in self.lines:
            self.row = self.row or number
            yield line


def _copy(name: str, source: IO[str], target: IO[str], dialect: Dialect) -> int:
    lines = _WantedLines(source, dialect)
    rows = csv.reader(lines, strict=True, **reader_options(dialect.separator, dialect.quote))  # type: ignore[arg-type]
    writer = csv.writer(target, lineterminator="\n", quoting=csv.QUOTE_ALL)
    width, longest = len(dialect.header), 0
    named = not dialect.headed  # or the header was met, which is skipped: line ends in names would be misread
    try:
        with long_fields():
            for row in rows:
                if len(row) == width + 1 and not row[-1]:  # a separator at the end of the line
                    row.pop()
                if row and len(row) != width:
                    raise ragged(name, lines.row, len(row), width, hint=_looks(dialect, row))
                if row:
                    longest = max(longest, sum(map(len, row)))
                    writer.writerow(row if named else range(width))
                    named = True
                lines.row = 0
    except csv.Error as error:
        raise SourceError(
            f"{name} cannot be read from line {lines.row} on: {_fault(error)}.", hint=_HINT
        ) from None
    return 4 * longest + 4 * width  # a letter takes up to four bytes, and quotes may double


def _fault(error: csv.Error) -> str:
    """What is wrong with a row; the words of Python's csv module say which, and quote nothing."""
    words = str(error)
    if "field limit" in words:
        return f"a field there is longer than {LONGEST_FIELD:,} characters"
    if "unexpected end" in words:
        return "a quoted field is not closed"
    if "expected after" in words:
        return "text follows the closing quote of a field"
    return "a quoted field is not closed, or text follows its closing quote"


def _looks(dialect: Dialect, row: Sequence[str]) -> str:
    """How a file looks whose lines do not have the fields of their header: another separator, or a title."""
    mark = dialect.separator[0]
    header, line = mark.join(dialect.header), mark.join(row)
    times = {one: header.count(one) for one in SEPARATORS if one != mark and one in header}
    likely = [one for one, count in times.items() if count == line.count(one)]
    if dialect.told and likely:
        written = "tab" if likely[0] == "\t" else f"'{likely[0]}'"
        return f"The file looks separated by {written}: give --separator {written}, or leave the option out."
    if len(dialect.header) == 1:
        return "If the first line is a title, leave it out with --skip 1. Otherwise name the separator."
    return _CORRECT


def ragged(
    name: str, line: int, found: int, width: int, told_by: str = "header", *, hint: str = _CORRECT
) -> SourceError:
    """The error for a line with too many or too few fields."""
    fields = "1 field" if found == 1 else f"{found} fields"
    return SourceError(f"Line {line} of {name} has {fields} where the {told_by} has {width}.", hint=hint)
