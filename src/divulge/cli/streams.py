"""Standard output and error as the last door: control characters are shown, and nothing is lost."""

from __future__ import annotations

import io
import os
import re
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, TextIO, cast

from divulge._support.wording import visible

KEPT = 1 << 26  # characters remembered in case that writing fails
_RED, _YELLOW, _GREEN, _BOLD, _PLAIN = "\x1b[31m", "\x1b[33m", "\x1b[32m", "\x1b[1m", "\x1b[0m"
_COLOURS = {  # the words stay: colour only repeats what they say
    r"\b(?:FAIL|NOT EVALUATED)\b": _RED,
    r"\b(?:WARN|NOTE)\b": _YELLOW,
    r"\b(?:PASS|RECOMMENDED)\b|(?<= )pass\b(?=  )": _GREEN,
    r"^[A-Z][a-z' ]{2,40}:?$": _BOLD,  # a heading
}
_PAINTED = re.compile("|".join(f"({pattern})" for pattern in _COLOURS), re.MULTILINE)


def coloured(text: str) -> str:
    """A text with its verdicts and headings in colour.

    >>> coloured("Checks\\n  FAIL  k-anonymity: 1")
    '\\x1b[1mChecks\\x1b[0m\\n  \\x1b[31mFAIL\\x1b[0m  k-anonymity: 1'
    """
    colours = list(_COLOURS.values())
    return _PAINTED.sub(lambda found: f"{colours[(found.lastindex or 1) - 1]}{found[0]}{_PLAIN}", text)


def takes_colour(stream: TextIO) -> bool:
    """Whether colour is shown: on a terminal that has some, unless NO_COLOR is set."""
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


class NotPrinted(Exception):
    """Standard output cannot be written, and why; no OSError, which the option parser would take."""


class Edge:
    """A text stream that shows control characters instead of passing them on, and colours a terminal.

    A reader that goes away, such as ``head``, ends the output and not the command. Where a disk is full, what
    was written is kept for a file elsewhere.
    """

    def __init__(self, stream: TextIO, *, in_colour: bool = False) -> None:
        self._stream = stream
        self._gone = False
        self._in_colour = in_colour
        self._written: list[str] = []
        self._length = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        shown = text if text == "\r" else visible(text)  # progress moves back to the beginning of its line
        if not self._gone:
            if self._length < KEPT:
                self._written.append(shown)
                self._length += len(shown)
            self._try(lambda: self._stream.write(coloured(shown) if self._in_colour else shown))
        return len(text)

    def flush(self) -> None:
        if not self._gone:
            self._try(self._stream.flush)

    def _try(self, act: Callable[[], object]) -> None:
        try:
            act()
        except BrokenPipeError:
            self._leave()
        except OSError as error:
            raise NotPrinted(error.strerror or type(error).__name__) from None

    def saved(self) -> str:
        """The path of a file, for nobody else to read, that has what was written so far."""
        self._leave()
        handle, path = tempfile.mkstemp(prefix="divulge-output-", suffix=".txt")
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write("".join(self._written))
        return path

    def _leave(self) -> None:
        """Write no more; what the stream still holds goes nowhere, so that its end fails no more."""
        self._gone = True
        with suppress(OSError, ValueError):  # a stream without a file, as in tests
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, self._stream.fileno())
            os.close(nowhere)


@contextmanager
def edges() -> Iterator[tuple[Edge, Edge]]:
    """Standard output and error behind their edges, for as long as a command runs."""
    before = sys.stdout, sys.stderr
    out, err = (Edge(stream, in_colour=takes_colour(stream)) for stream in before)
    for stream in before:  # a terminal may lack letters that a name has
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    sys.stdout, sys.stderr = cast("Any", out), cast("Any", err)
    try:
        yield out, err
    finally:
        sys.stdout, sys.stderr = before
