"""The slow, sure way through a CSV file: every row is counted and copied in a form DuckDB is sure to read."""

from __future__ import annotations

import csv
import gzip
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import IO

from divulge.errors import SourceError
from divulge.source.dialect import LONGEST_FIELD, Dialect, long_fields, reader_options
from divulge.source.files import is_compressed

_HINT = "Correct that line, or name the quote the file uses."


@contextmanager
def rewritten(path: Path, dialect: Dialect) -> Iterator[tuple[Path, Dialect, int]]:
    """A copy in UTF-8 with commas, double quotes and plain line ends, and bytes that hold its longest row."""
    with tempfile.TemporaryDirectory(prefix="divulge-") as folder:
        copy = Path(folder) / "copy.csv"
        with (
            _opened(path, dialect.encoding) as source,
            copy.open("w", encoding="utf-8", newline="") as target,
        ):
            longest = _copy(path.name, source, target, dialect)
        plain = replace(dialect, encoding="utf-8", separator=",", quote='"', skip=1)
        yield copy, plain, longest


def _opened(path: Path, encoding: str) -> IO[str]:
    if is_compressed(path):
        return gzip.open(path, "rt", encoding=encoding, newline="")
    return path.open(encoding=encoding, newline="")


def _copy(name: str, source: IO[str], target: IO[str], dialect: Dialect) -> int:
    rows = csv.reader(source, strict=True, **reader_options(dialect.separator, dialect.quote))  # type: ignore[arg-type]
    writer = csv.writer(target, lineterminator="\n", quoting=csv.QUOTE_ALL)
    width, line, longest = len(dialect.header), 1, 0
    named = False  # whether the header, which is skipped, was met: line ends in names would be misread
    try:
        with long_fields():
            for row in rows:
                if len(row) == width + 1 and not row[-1]:  # a separator at the end of the line
                    row.pop()
                if row and len(row) != width:
                    raise _ragged(name, line, len(row), width)
                if row:
                    longest = max(longest, sum(map(len, row)))
                    writer.writerow(row if named else range(width))
                    named = True
                line = rows.line_num + 1
    except csv.Error as error:
        raise SourceError(
            f"{name} cannot be read from line {line} on: {_fault(error)}.", hint=_HINT
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


def _ragged(name: str, line: int, found: int, width: int) -> SourceError:
    fields = "1 field" if found == 1 else f"{found} fields"
    return SourceError(
        f"Line {line} of {name} has {fields} where the header has {width}.",
        hint="Correct that line, or name the separator or quote if these were guessed wrongly.",
    )
