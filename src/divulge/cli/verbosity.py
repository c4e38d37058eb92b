"""How much a command says: what it found, that alone which was asked for, or also what it did."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, redirect_stdout
from contextvars import ContextVar
from typing import TYPE_CHECKING

from divulge._support.wording import many
from divulge.errors import ParameterError

if TYPE_CHECKING:
    from divulge.questions.data import Data

_QUIET: ContextVar[bool] = ContextVar("quiet", default=False)
_VERBOSE: ContextVar[bool] = ContextVar("verbose", default=False)


class _Nowhere(io.TextIOBase):
    """A stream that forgets what is written to it."""

    def write(self, text: str) -> int:
        return len(text)


@contextmanager
def speaking(*, quiet: bool, verbose: bool, printed: bool) -> Iterator[None]:
    """Run a command quietly, verbosely or as usual; what is to be ``printed`` was asked for by name."""
    if quiet and verbose:
        raise ParameterError("--quiet and --verbose contradict each other.", hint="Leave one of them out.")
    before = _QUIET.set(quiet), _VERBOSE.set(verbose)
    try:
        with redirect_stdout(_Nowhere()) if quiet and not printed else nullcontext():
            yield
    finally:
        _QUIET.reset(before[0])
        _VERBOSE.reset(before[1])


def is_quiet() -> bool:
    """Whether only errors and what was asked for are to be said."""
    return _QUIET.get()


def is_verbose() -> bool:
    """Whether a command also says what it does."""
    return _VERBOSE.get()


def opened(data: Data) -> Data:
    """The same data; where asked for, it is said what was read and what counts it."""
    if is_verbose():
        attributes = len(data.schema.attributes)
        print(
            f"Opened {data.source.name}: {many(data.records)} records, {many(attributes)} attributes; "
            f"engine: {data.engine.kind}",
            file=sys.stderr,
        )
    return data


def took(doing: str, seconds: float) -> None:
    """Say how long a stage took."""
    print(f"{doing}: {seconds:.1f} s", file=sys.stderr)
