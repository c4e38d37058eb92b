"""How a CSV file is written: its encoding, separator, quote and header, told from its beginning."""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass

from divulge._support.header import FirstLineName, first_line, names_below
from divulge.errors import EmptySource, SourceError, counted
from divulge.source.base import check_width
from divulge.source.foreign import refuse_foreign_text, refuse_one_column
from divulge.source.options import SourceOptions

NEGATIVE_ZERO = "-0+([.]0*)?"  # as a regular expression
SEPARATORS = (",", ";", "\t", "|")
LONGEST_FIELD = 1 << 28  # characters
LINES = 200  # records that a would-be header is compared with
_NOT_OF_FILES = {"idna", "punycode", "unicode-escape", "raw-unicode-escape"}  # but of names and of code
_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    *((mark, "utf-32") for mark in (codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)),  # begins as UTF-16 does
    *((mark, "utf-16") for mark in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)),
)


@dataclass(frozen=True)
class Dialect:
    """The facts needed to read the file."""

    encoding: str
    separator: str
    quote: str
    header: tuple[str, ...]
    skip: int  # rows before the first record: blank ones and the header
    told: bool  # whether the user named the separator
    before: int = 0  # lines that the user leaves out
    comment: str | None = None
    headed: bool = True

    @property
    def is_utf8(self) -> bool:
        return self.encoding in {"utf-8", "utf-8-sig", "ascii"}


def detect(name: str, head: bytes, options: SourceOptions) -> Dialect:
    """The dialect of a file that begins with ``head``; what the user says is taken as it is."""
    separator, quote = options.separator, options.quote
    encoding = encoding_of(head, options.encoding)
    if options.encoding is None and encoding == "cp1252":
        _refuse_mixed(name, head)
    try:
        # Without the end: the last character may be cut in two.
        text = codecs.getincrementaldecoder(encoding)().decode(head)
    except UnicodeError:
        raise undecodable(name, encoding) from None
    _check_marks(separator, quote)
    lines = [*wanted_lines(io.StringIO(text, newline=""), options.skip, options.comment)]
    text = "".join(line for _, line in lines)
    refuse_foreign_text(name, text)
    candidates = (separator,) if separator else SEPARATORS
    best = max(candidates, key=lambda candidate: _agreement(text, candidate, quote))
    quote = _quote(text, best) if quote is None else quote
    rows = _rows(text, best, quote)
    filled = next((place for place, row in enumerate(rows) if row), None)
    if filled is None:
        raise EmptySource(f"{name} has only blank lines.", hint="Check that it was written to the end.")
    header = rows[filled]
    if separator is None and len(header) > 1 and _is_spaced([header]):
        # The header alone may be spaced, or all rows: then a quote may follow the space.
        best = f"{best} " if _is_spaced(rows) else best
        header = [field.removeprefix(" ") for field in _rows(text, best, quote)[filled]]
    check_width(name, len(header))
    refuse_title(name, rows[filled:], [number for number, _ in lines[filled:]], options)
    if len(header) == 1:
        refuse_one_column(name, text.splitlines()[: LINES + 1])
    headed = not options.no_header
    names = named_columns(name, header, rows[filled + 1 : filled + 1 + LINES], options)
    told = separator is not None
    return Dialect(
        encoding, best, quote, tuple(names), filled + headed, told, options.skip, options.comment, headed
    )


def wanted_lines(lines: Iterable[str], skip: int, comment: str | None) -> Iterator[tuple[int, str]]:
    """Lines with their numbers, without the first few and those that begin with the mark of a comment."""
    for number, line in enumerate(lines, 1):
        if number > skip and not (comment and line.startswith(comment)):
            yield number, line


def refuse_title(
    name: str, rows: Sequence[Sequence[str]], numbers: Sequence[int], options: SourceOptions
) -> None:
    """Refuse a title that would be taken for the names of columns; ``numbers`` are those of lines or rows."""
    if options.no_header or options.names or (place := names_below(rows)) is None:
        return
    filled, above = sum(bool(field.strip()) for field in rows[0]), numbers[place] - 1
    other = ", or the names of all columns with --names a,b,c" if len(rows[0]) == len(rows[place]) else ""
    raise SourceError(
        f"Line {numbers[0]} of {name} has {counted(filled, 'filled field')}, as a title has, and line "
        f"{above + 1} looks like the names of its {len(rows[place])} columns.",
        hint=f"Give --skip {above} (skip = {above} in a policy) to begin there{other}.",
    )


def named_columns(
    name: str, header: Sequence[str], rows: Sequence[Sequence[str]], options: SourceOptions
) -> list[str]:
    """The names of columns: as given, or as in the header, or else by place.

    A header that is a record is refused, since its values would be printed as names; where it may be one,
    its names are doubtful.
    """
    judged = "names" if options.no_header else first_line(header, rows)
    if judged == "record":
        raise SourceError(
            f"The first line of {name} ({counted(len(header), 'field')}) seems to be a record, not the "
            "names of columns.",
            hint="Put a line with the names of the columns first, or give --no-header and --names a,b,c.",
        )
    given = options.names
    if given and len(given) != len(header):
        raise SourceError(
            f"{name} has {counted(len(header), 'column')}, and {counted(len(given), 'name')} for them "
            f"{'was' if len(given) == 1 else 'were'} given.",
            hint="Give a name for each column, in their order.",
        )
    called = FirstLineName if judged == "unclear" else str
    fields = [""] * len(header) if options.no_header else header
    return [*given] or [called(field) or f"column {place}" for place, field in enumerate(fields, start=1)]


def _is_spaced(rows: Sequence[Sequence[str]]) -> bool:
    return all(field.startswith(" ") for row in rows for field in row[1:])


def reader_options(separator: str, quote: str) -> dict[str, object]:
    """The dialect in the terms of Python's csv module."""
    return {
        "delimiter": separator[0],
        "skipinitialspace": separator[1:] == " ",
        "quotechar": quote or None,
        "quoting": csv.QUOTE_MINIMAL if quote else csv.QUOTE_NONE,
    }


def undecodable(name: str, encoding: str) -> SourceError:
    """The error for bytes that do not belong to the encoding."""
    other = "utf-16-le or utf-8" if encoding.startswith(("utf-16", "utf-32")) else "cp1252 or utf-16"
    return SourceError(f"{name} is not written in {encoding}.", hint=f"Name its encoding, such as {other}.")


def encoding_of(head: bytes, asked: str | None) -> str:
    """The encoding that was asked for, or the one that the first bytes tell."""
    if asked is not None:
        try:
            "".encode(asked)  # codecs such as base64 exist but are no encodings of text
            found = codecs.lookup(asked).name
        except (LookupError, UnicodeError):
            found = ""
        if not found or found in _NOT_OF_FILES:
            raise SourceError(
                f"Unknown text encoding: '{asked}'.",
                hint="Common ones are utf-8, cp1252 and utf-16.",
            )
        asked = found
        return "utf-8-sig" if asked == "utf-8" and head.startswith(codecs.BOM_UTF8) else asked
    for mark, encoding in _MARKS:
        if head.startswith(mark):
            return encoding
    try:
        codecs.getincrementaldecoder("utf-8")().decode(head)
    except UnicodeDecodeError:
        return "cp1252"
    return "utf-8"


def is_separated(lines: Sequence[str]) -> bool:
    """Whether lines of different lengths have the same number of fields, as in a CSV file.

    One comma with a blank after it may be part of a name.

    >>> is_separated(["Ann,34", "Robert,7"]), is_separated(["Lee, Ann  34", "Li, Bo     7 *"])
    (True, False)
    """
    if len(set(map(len, lines))) < 2:
        return False
    for mark in SEPARATORS:
        rows = list(csv.reader(lines, delimiter=mark))
        widths = set(map(len, rows))
        spaced = widths == {2} and all(row[1].startswith(" ") for row in rows)
        if len(widths) == 1 and widths != {1} and len({len(row[0]) for row in rows}) > 1 and not spaced:
            return True
    return False


def _refuse_mixed(name: str, head: bytes) -> None:
    """Stop before a few lines of another encoding make all others be misread: their values would split.

    Letters of UTF-8 are hardly ever found in a file of one byte each.
    """
    lines = head.splitlines(keepends=True)
    whole = lines if head.endswith((b"\n", b"\r")) else lines[:-1]  # the last may be cut off
    marked = [line for line in whole if not line.isascii()]
    wrong = sum(not _is_utf8(line) for line in marked)
    if 0 < wrong < len(marked) - wrong:
        raise SourceError(
            f"{name} is written in utf-8 but for {counted(wrong, 'line')} of its beginning.",
            hint="Correct these lines, or name the encoding with which all are to be read, such as cp1252.",
        )


def _is_utf8(line: bytes) -> bool:
    try:
        line.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _check_marks(separator: str | None, quote: str | None) -> None:
    if separator is not None and (separator[1:] not in {"", " "} or separator[:1] in {"", "\n", "\r"}):
        raise SourceError(
            "A separator is one character, or one character and a space.",
            hint="Common ones are , ; | and tab.",
        )
    if quote is not None and len(quote) > 1:
        raise SourceError("A quote is one character, or empty for none.", hint="Common ones are \" and '.")


@contextmanager
def long_fields() -> Iterator[None]:
    """Let Python's csv module read fields up to our own limit; the setting belongs to the whole process."""
    before = csv.field_size_limit(LONGEST_FIELD)
    try:
        yield
    finally:
        csv.field_size_limit(before)


def _rows(text: str, separator: str, quote: str) -> list[list[str]]:
    """The rows of the sample, the last one left out when others remain, for it may be cut off."""
    rows = csv.reader(io.StringIO(text, newline=""), **reader_options(separator, quote))  # type: ignore[arg-type]
    found: list[list[str]] = []
    with long_fields(), suppress(csv.Error):  # a field beyond csv's limit: what came before it tells enough
        found.extend(rows)
    return found[:-1] if len(found) > 2 and not text.endswith(("\n", "\r")) else found


def _agreement(text: str, separator: str, quote: str | None) -> tuple[bool, float, int]:
    """How well a separator explains the sample: as many fields in each row as in the first.

    Where the first row has one field, the separator that contradicts this most wins: a title above the
    header is then an error, not a table of one column.
    """
    if separator not in text and text.strip():  # every row is one field
        return False, -1.0, 1
    quote = _quote(text, separator) if quote is None else quote
    widths = [len(row) for row in _rows(text, separator, quote) if row] or [0]
    share = sum(width == widths[0] for width in widths) / len(widths)
    return widths[0] > 1, share if widths[0] > 1 else -share, widths[0]


def _quote(text: str, separator: str) -> str:
    """The apostrophe if whole fields stand between two of them and none between double quotes."""
    if "'" not in text:
        return '"'
    start, end = rf"(?:^|{re.escape(separator)}) ?", rf" ?(?={re.escape(separator)}|\r|$)"
    if re.search(rf'{start}"', text, re.MULTILINE):
        return '"'
    opened = len(re.findall(rf"{start}'", text, re.MULTILINE))
    whole = len(re.findall(rf"{start}'(?:[^']|'')*'{end}", text, re.MULTILINE))
    return "'" if whole and whole == opened else '"'
