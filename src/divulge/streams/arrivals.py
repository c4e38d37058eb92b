"""Where records come from while they come: standard input, and a file that grows."""

from __future__ import annotations

import hashlib
import os
import select
import sys
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, Any, NamedTuple, Protocol

from divulge.errors import EmptySource, MissingSource, SourceError
from divulge.source.dialect import detect
from divulge.source.options import SourceOptions
from divulge.streams import line_parser
from divulge.streams.line_parser import Columns, CsvParser, JsonParser, LineParser, plain_object

BLOCK = 1 << 20  # bytes that are read at a time
LONGEST = 1 << 20  # of one line
REMEMBERED = 4096  # bytes before a position, by which it is told whether a file is still the same
UTF_16 = (b"\xff\xfe", b"\xfe\xff")  # how such a text may begin
JSON_ENDINGS = (".jsonl", ".ndjson")


class Arrived(NamedTuple):
    """Records that have come, lines that were none, what is to be said, and whether no more will come."""

    columns: Columns
    malformed: int = 0
    said: tuple[str, ...] = ()
    ended: bool = False


class Arrivals(Protocol):
    """A source of records while they come."""

    name: str

    @property
    def attributes(self) -> tuple[str, ...]: ...

    @property
    def position(self) -> dict[str, Any]: ...

    def poll(self, patience: float) -> Arrived: ...

    def close(self) -> None: ...


@dataclass
class Lines:
    """Bytes to whole lines, and these to records; the first tell how they are written."""

    name: str
    options: SourceOptions
    json: bool | None = None  # None: the first line tells
    parser: LineParser | None = None
    _begun: bytes = b""  # of a line that is not whole yet
    _lost: int = 0  # lines that are no records, and not counted yet
    _known: tuple[str, ...] | None = None  # attributes, where a file is begun anew
    _cut: bool = False  # whether the next bytes are the rest of a line that was given up or taken
    _taken: bool = False  # whether it was taken, as the last, before it was whole

    @property
    def begun(self) -> int:
        """Bytes of a line that is not whole yet."""
        return len(self._begun)

    def forget(self) -> None:
        """Go on elsewhere in the same lines."""
        self._begun, self._cut = b"", False

    def within_line(self) -> None:
        """The next bytes belong to a line that was taken before it was whole; it is not taken again."""
        self._cut = self._taken = True

    def begin_anew(self) -> None:
        """Other lines begin, of the same attributes; a line that was not whole is none."""
        self._lost += bool(self._begun.strip())
        if self.parser is not None:
            self._known = self.parser.attributes
        self._begun, self._cut, self.parser = b"", False, None

    def add(self, block: bytes, *, last: bool = False) -> tuple[Columns, int] | None:
        """Records in what has come so far; None before the first line is whole."""
        self._begun += block
        if self._cut:
            rest, ended, self._begun = self._begun.partition(b"\n")
            self._lost += bool(self._taken and rest.strip())
            self._cut, self._taken = not ended, self._taken and not rest.strip()
        if self.parser is None and not self._start(last=last):
            return None
        assert self.parser is not None
        end = len(self._begun) if last else self._whole()
        whole, self._begun = self._begun[:end], self._begun[end:]
        lost, self._lost = self._lost, 0
        columns, malformed = self.parser.parse(whole)
        return columns, malformed + lost

    def _whole(self) -> int:
        """Where the last whole record ends; a line whose quote stays open for long is no part of another."""
        last = self._begun.rfind(b"\n") + 1
        end = self._lines_end(0, last)
        while end < last and (
            last - end > LONGEST or self._begun.count(b"\n", end, last) > line_parser.SPANNED
        ):
            end = self._lines_end(self._begun.find(b"\n", end) + 1, last)
        if not last and len(self._begun) > LONGEST:  # a line without an end
            self._begun, self._lost, self._cut = b"", self._lost + 1, True
        return end

    def _lines_end(self, start: int, last: int) -> int:
        """Where the last line ends that is not within quotes, from a line's start on."""
        quote = self.parser.dialect.quote.encode() if isinstance(self.parser, CsvParser) else b""
        end, open_ = last, bool(quote) and self._begun.count(quote, start, last) % 2
        while open_ and end > start:
            before = self._begun.rfind(b"\n", start, end - 1) + 1 or start
            open_ ^= self._begun.count(quote, before, end) % 2
            end = before
        return end

    def _start(self, *, last: bool) -> bool:
        """Learn from the beginning how lines are written; the header of CSV is taken off."""
        if b"\n" not in self._begun and not last:
            return False
        if not self._begun.strip():
            return False
        if self.json is None:
            self.json = self._begun.lstrip()[:1] == b"{"
        self.parser = self._json() if self.json else self._csv(last=last)
        if self._known is not None and set(self.parser.attributes) != set(self._known):
            raise SourceError(
                f"{self.name} was started again with other columns.",
                hint="Start watching it again, with a policy for these.",
            )
        return True

    def _json(self) -> LineParser:
        if self._known is not None:
            return JsonParser(self._known)
        first = plain_object(self._begun.lstrip().split(b"\n", 1)[0])
        if first is None:
            raise SourceError(
                f"The first line of {self.name} is no JSON object of plain values.",
                hint="Write one object on each line, or CSV with a header.",
            )
        return JsonParser(tuple(first))

    def _csv(self, *, last: bool) -> LineParser:
        """The header is taken off."""
        whole = self._begun if last else self._begun[: self._begun.rfind(b"\n") + 1]
        if b"\0" in whole and not whole.startswith(UTF_16) and self.options.encoding is None:
            raise SourceError(
                f"{self.name} looks like a binary file, not like lines of text.",
                hint="Watch a CSV or JSON-lines file.",
            )
        dialect = detect(self.name, _decodable(whole, self.options.encoding), self.options)
        if dialect.encoding == "utf-8-sig":  # its mark is on the header alone
            dialect = replace(dialect, encoding="utf-8")
        if "\n".encode(dialect.encoding) != b"\n":
            raise SourceError(f"Lines in {dialect.encoding} cannot be followed.", hint="Write them in UTF-8.")
        for _ in range(dialect.before + dialect.skip):
            self._begun = self._begun.partition(b"\n")[2]
        return CsvParser(dialect)


def _digest(block: bytes) -> str:
    return hashlib.sha256(block).hexdigest()


def _decodable(block: bytes, encoding: str | None) -> bytes:
    """The lines that are written in an encoding; all where none is named, or where it is none."""
    if encoding is None:
        return block
    found = []
    for line in block.splitlines(keepends=True):
        with suppress(UnicodeDecodeError, LookupError):
            line.decode(encoding)
            found.append(line)
    return b"".join(found) or block


class LineArrivals(ABC):
    """Records that come as lines; ``_read`` says what has come since, and whether that was the end."""

    def __init__(self, name: str, options: SourceOptions, *, json: bool | None = None) -> None:
        self.name = name
        self._lines = Lines(name, options, json=json)
        self._waiting: list[Arrived] = []  # what came before anybody asked for it

    @property
    def attributes(self) -> tuple[str, ...]:
        """The names of what each record has, as soon as they are known."""
        while self._lines.parser is None:
            arrived = self._poll(1.0)
            if arrived.ended and self._lines.parser is None:
                raise EmptySource(
                    f"There is nothing in {self.name}.", hint="Write a header and records to it."
                )
            self._waiting.append(arrived)
        return self._lines.parser.attributes

    def poll(self, patience: float) -> Arrived:
        """What has come since; waits as long where nothing has."""
        return self._waiting.pop(0) if self._waiting else self._poll(patience)

    def _poll(self, patience: float) -> Arrived:
        block, said, ended = self._read(patience)
        columns, malformed = self._lines.add(block, last=ended) or ({}, 0)
        return Arrived(columns, malformed, said, ended)

    @abstractmethod
    def _read(self, patience: float) -> tuple[bytes, tuple[str, ...], bool]:
        """Bytes that have come since, what is to be said, and whether no more will come."""

    @property
    def position(self) -> dict[str, Any]:
        return {}

    def close(self) -> None:
        return None


class StandardInput(LineArrivals):
    """Records that are written to standard input, until it ends."""

    def __init__(self, options: SourceOptions, stream: IO[bytes] | None = None) -> None:
        super().__init__("standard input", options)
        self._stream = sys.stdin.buffer if stream is None else stream

    def _read(self, patience: float) -> tuple[bytes, tuple[str, ...], bool]:
        if not select.select([self._stream], [], [], patience)[0]:
            return b"", (), False
        block = os.read(self._stream.fileno(), BLOCK)
        return block, (), not block


class GrowingFile(LineArrivals):
    """Records of a file while lines are added to it.

    One that is replaced, as logs are, is read to its end, and the new one from its beginning; so is one that
    is cut off. Without ``follow`` its end is the end. A ``position`` is where another left off.
    """

    def __init__(
        self,
        path: Path,
        options: SourceOptions,
        *,
        follow: bool = True,
        position: Mapping[str, Any] | None = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        super().__init__(path.name, options, json=True if path.suffix.lower() in JSON_ENDINGS else None)
        if path.is_dir():
            raise MissingSource(f"{path} is a folder.", hint="Name the one file in it that grows.")
        if not path.is_file():
            raise MissingSource(f"No file {path}.", hint="Check the path.")
        self._path, self._follow, self._sleep = path, follow, sleep
        self._file = path.open("rb")
        self._before = b""  # the bytes that were read last
        if position:
            self._resume(position)

    @property
    def position(self) -> dict[str, Any]:
        """Where the next record begins, and in which file."""
        number = os.fstat(self._file.fileno()).st_ino
        offset = self._file.tell() - self._lines.begun
        return {"file": number, "offset": offset, "before": _digest(self._bytes_before(offset))}

    def _bytes_before(self, offset: int) -> bytes:
        start = max(offset - REMEMBERED, 0)
        return os.pread(self._file.fileno(), offset - start, start)

    def _resume(self, position: Mapping[str, Any]) -> None:
        attributes = self.attributes
        status, offset = os.fstat(self._file.fileno()), position.get("offset")
        same = status.st_ino == position.get("file") and type(offset) is int and 0 <= offset <= status.st_size
        before = self._bytes_before(offset) if same and offset is not None else b""
        same = same and position.get("before") in (None, _digest(before))
        if same and offset is not None and attributes == tuple(position.get("attributes", attributes)):
            self._waiting.clear()
            self._lines.forget()
            self._file.seek(offset)
            self._before = before
            if before and not before.endswith(b"\n"):
                self._lines.within_line()
        else:
            said = f"{self.name} is another file than before: it is read from its beginning."
            self._waiting.insert(0, Arrived({}, said=(said,)))

    def _read(self, patience: float) -> tuple[bytes, tuple[str, ...], bool]:
        block = b"" if self._overwritten else self._file.read(BLOCK)
        self._before = (self._before + block)[-REMEMBERED:]
        if block or not self._follow:
            return block, (), not block
        said = self._begun_anew()
        if not said:
            self._sleep(patience)
        return b"", said, False

    @property
    def _overwritten(self) -> bool:
        """Whether what was read is no longer there, as in a file that was cut off and has grown since."""
        return not self._bytes_before(self._file.tell()).endswith(self._before)

    def _begun_anew(self) -> tuple[str, ...]:
        """Whether the file was replaced or cut off, in a sentence; it is read from its beginning then."""
        try:
            there = self._path.stat()
        except FileNotFoundError:  # between the old one and the new
            return ()
        here = os.fstat(self._file.fileno())
        if there.st_ino != here.st_ino:
            said = f"{self.name} was replaced: the new file is read from its beginning."
            self._file.close()
            self._file = self._path.open("rb")
        elif there.st_size < self._file.tell() or self._overwritten:
            said = f"{self.name} was cut off: it is read from its beginning."
            self._file.seek(0)
        else:
            return ()
        self._lines.begin_anew()
        self._before = b""
        return (said,)

    def close(self) -> None:
        self._file.close()
