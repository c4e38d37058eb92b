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
from divulge.source.dialect import Dialect, reader_options
from divulge.source.files import is_compressed


@contextmanager
def rewritten(path: Path, dialect: Dialect) -> Iterator[tuple[Path, Dialect]]:
    """A copy in UTF-8 with commas, double quotes and plain line ends, removed afterwards."""
    with tempfile.TemporaryDirectory(prefix="divulge-") as folder:
        copy = Path(folder) / "copy.csv"
        with (
            _opened(path, dialect.encoding) as source,
            copy.open("w", encoding="utf-8", newline="") as target,
        ):
            _copy(path.name, source, target, dialect)
        yield copy, replace(dialect, encoding="utf-8", separator=",", quote='"', skip=1)


def _opened(path: Path, encoding: str) -> IO[str]:
    if is_compressed(path):
        return gzip.open(path, "rt", encoding=encoding, newline="")
    return path.open(encoding=encoding, newline="")


def _copy(name: str, source: IO[str], target: IO[str], dialect: Dialect) -> None:
    rows = csv.reader(source, strict=True, **reader_options(dialect.separator, dialect.quote))  # type: ignore[arg-type]
    writer = csv.writer(target, lineterminator="\n", quoting=csv.QUOTE_ALL)
    width, line = len(dialect.header), 1
    try:
        for row in rows:
            if len(row) == width + 1 and not row[-1]:  # a separator at the end of the line
                row.pop()
            if row and len(row) != width:
                raise _ragged(name, line, len(row), width)
            if row:
                writer.writerow(row)
            line = rows.line_num + 1
    except csv.Error:
        raise SourceError(
            f"{name} cannot be read from line {line} on: a quoted field is not closed, text follows "
            "its closing quote, or a field is very long.",
            hint="Mend that line, or name the quote the file uses.",
        ) from None


def _ragged(name: str, line: int, found: int, width: int) -> SourceError:
    fields = "1 field" if found == 1 else f"{found} fields"
    return SourceError(
        f"Line {line} of {name} has {fields} where the header has {width}.",
        hint="Mend that line, or name the separator or quote if these were guessed wrongly.",
    )
