"""Files of fixed width, or of values without names, as a layout of µ-ARGUS (.rda) describes them."""

from __future__ import annotations

import codecs
import csv
import io
import shlex
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO

from divulge.errors import SourceError
from divulge.limits.ordinary_files import refuse_unreadable_text
from divulge.source.base import Source, check_names
from divulge.source.beside.unread import MOST_TEXTS, Unread, note_unread
from divulge.source.dialect import Dialect, encoding_of, is_separated, undecodable, wanted_lines
from divulge.source.files import DataFile, read_head
from divulge.source.foreign import refuse_foreign_text
from divulge.source.options import SourceOptions
from divulge.source.rewrite import ragged
from divulge.source.text import open_plain

_FIXED = "A line is a name, a first position, a length and up to two codes for missing."
_FREE = "A line is a name, a length and up to two codes for missing."


@dataclass(frozen=True)
class LayoutColumn:
    """A column: where it stands in a line, counted from 0, and which codes mean missing."""

    name: str
    first: int
    length: int
    missing: frozenset[str]

    def value(self, text: str) -> str:
        """What a field holds, the blanks around it left out; nothing where it is missing."""
        text = text.strip()
        return "" if text in self.missing else text


@dataclass(frozen=True)
class Layout:
    """The columns of a file, and what stands between them where their places are not fixed."""

    columns: tuple[LayoutColumn, ...]
    separator: str | None

    @property
    def width(self) -> int:
        """Characters that a line has at least."""
        return max(one.first + one.length for one in self.columns)


def read_layout(path: Path) -> Layout:
    """The layout in a file; what µ-ARGUS says there about protection is not needed."""
    refuse_unreadable_text(path)
    lines = _text(path).splitlines()
    separator = next(
        (words[1] for line in lines if (words := _words(line))[:1] == ["<SEPARATOR>"] and words[1:]), None
    )
    columns = []
    for number, line in enumerate(lines, 1):
        words = _words(line)
        if words and not words[0].startswith("<"):
            columns.append(_column(path.name, number, words, fixed=separator is None))
    if not columns:
        raise SourceError(f"{path.name} describes no column.", hint=_FIXED)
    check_names(path.name, [one.name for one in columns])
    return Layout(tuple(columns), separator)


def _text(path: Path) -> str:
    head = read_head(path, path.name)
    try:
        return path.read_text(encoding_of(head, None))
    except UnicodeDecodeError:
        raise undecodable(path.name, "utf-8") from None


def _words(line: str) -> list[str]:
    try:
        return shlex.split(line)
    except ValueError:
        return line.split()


def _column(name: str, number: int, words: Sequence[str], *, fixed: bool) -> LayoutColumn:
    """A column as a line describes it; without fixed places there is no first position."""
    places = 2 if fixed else 1
    numbers, missing = words[1 : 1 + places], words[1 + places :]
    if (
        len(numbers) < places
        or len(missing) > 2
        or not all(map(str.isdecimal, numbers))
        or not int(numbers[0])
    ):
        raise SourceError(f"Line {number} of {name} describes no column.", hint=_FIXED if fixed else _FREE)
    first = int(numbers[0]) - 1 if fixed else 0
    return LayoutColumn(words[0], first, int(numbers[-1]), frozenset(code.strip() for code in missing))


class _Strips:
    """What stands where the layout has no column, between columns and behind the last one."""

    def __init__(self, layout: Layout) -> None:
        self.places: list[slice] = []
        end = 0
        for one in sorted(layout.columns, key=lambda one: one.first) if layout.separator is None else ():
            self.places += [slice(end, one.first)] if end < one.first else []
            end = max(end, one.first + one.length)
        self.places += [slice(end, None)] if end else []
        self.found: list[set[str]] = [set() for _ in self.places]

    def look(self, text: str) -> None:
        for place, known in zip(self.places, self.found, strict=True):
            if len(known) < MOST_TEXTS:
                known.add(text[place].strip())

    def unread(self) -> list[Unread]:
        """The strips that differ between lines; one that is the same in all says nothing of anybody."""
        several = sum(len(known) > 1 for known in self.found)
        what = "strip of characters outside the columns of the layout"
        return [Unread(what, several, "data")] if several else []


def open_layout(file: DataFile, options: SourceOptions, called: str) -> Source:
    """A file that a layout describes, copied to CSV and read as such."""
    layout = read_layout(Path(str(options.layout)).expanduser())
    encoding = encoding_of(file.head, options.encoding)
    head = codecs.getincrementaldecoder(encoding)("replace").decode(file.head)
    lines = wanted_lines(io.StringIO(head), options.skip, options.comment)
    _refuse_other_text(file.name, layout, [line for _, line in lines])
    names = tuple(one.name for one in layout.columns)
    strips = _Strips(layout)
    with tempfile.TemporaryDirectory(prefix="divulge-") as folder:
        copy = Path(folder) / "copy.csv"
        try:
            with (
                file.path.open(encoding=encoding, newline="") as source,
                copy.open("w", encoding="utf-8", newline="") as target,
            ):
                writer = csv.writer(target, lineterminator="\n", quoting=csv.QUOTE_ALL)
                writer.writerows(_rows(file.name, source, layout, options, strips))
        except UnicodeDecodeError:
            raise undecodable(file.name, encoding) from None
        plain = replace(file, path=copy)
        dialect = Dialect("utf-8", ",", '"', names, 0, told=True, headed=False)
        return note_unread(open_plain(plain, dialect, told=True), strips.unread())


def _refuse_other_text(name: str, layout: Layout, lines: Sequence[str]) -> None:
    """Stop where text has another form than the layout says: it would be cut up at meaningless places."""
    refuse_foreign_text(name, "".join(lines))
    if layout.separator is None and is_separated([line for line in lines[:-1] or lines if line.strip()]):
        raise SourceError(
            f"{name} is a CSV file, and its layout is one of fixed width.",
            hint="Leave out --layout, or check that this is the file you meant.",
        )


def _rows(
    name: str, source: IO[str], layout: Layout, options: SourceOptions, strips: _Strips
) -> Iterator[list[str]]:
    for number, line in wanted_lines(source, options.skip, options.comment):
        text = line.rstrip("\r\n")
        if not text.strip():
            continue
        if layout.separator is not None:
            fields = next(csv.reader([text], delimiter=layout.separator[0]))
            if len(fields) != len(layout.columns):
                raise ragged(name, number, len(fields), len(layout.columns), "layout")
        elif len(text) < layout.width:
            raise SourceError(
                f"Line {number} of {name} has {len(text)} characters where the layout needs {layout.width}.",
                hint="Correct that line, or the layout.",
            )
        else:
            fields = [text[one.first : one.first + one.length] for one in layout.columns]
            strips.look(text)
        yield [column.value(field) for column, field in zip(layout.columns, fields, strict=True)]
