"""Files that are there whole or not at all, each by itself or several together."""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from contextvars import ContextVar
from functools import partial
from pathlib import Path
from typing import NamedTuple


class Ending(NamedTuple):
    """How something that is written comes to its place, how that is undone, and what is closed in the end.

    Undoing does no harm where it never came there.
    """

    finish: Callable[[], None]
    undo: Callable[[], None]
    close: Callable[[], None]


_TOGETHER: ContextVar[list[Ending] | None] = ContextVar("together", default=None)


@contextmanager
def together() -> Iterator[None]:
    """What is written within comes to its place in the end: all of it, or nothing where anything fails.

    What was written first comes last: once it is there, all is.
    """
    if _TOGETHER.get() is not None:  # the outermost decides
        yield
        return
    endings: list[Ending] = []
    token = _TOGETHER.set(endings)
    try:
        yield
        _finish(endings[::-1])
    finally:
        _TOGETHER.reset(token)
        with ExitStack() as held:
            for one in endings:
                held.callback(one.close)


def at_the_end(ending: Ending) -> None:
    """Finish something now, or with all else where several things are written together."""
    endings = _TOGETHER.get()
    if endings is not None:
        endings.append(ending)
        return
    try:
        _finish([ending])
    finally:
        ending.close()


def _finish(endings: list[Ending]) -> None:
    for place, one in enumerate(endings):
        try:
            one.finish()
        except BaseException:
            for begun in endings[place::-1]:
                begun.undo()
            raise


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """A place to write a file or a folder to, which becomes the one at the path once all is written.

    Where writing fails, what was at the path is there still, and nothing else is left.
    """
    final = Path(os.path.realpath(path))
    with ExitStack() as held:
        folder = held.enter_context(tempfile.TemporaryDirectory(dir=path.parent, prefix=".divulge-release-"))
        made = Path(folder, path.name)
        before = Path(folder, "replaced" if path.name != "replaced" else "earlier")
        yield made
        ways = (made, final, before)
        at_the_end(Ending(partial(_put, *ways), partial(_put_back, *ways), held.pop_all().close))


def _put(made: Path, final: Path, before: Path) -> None:
    """Put what was made at its place; what was there has a second name until all is well."""
    try:
        os.link(final, before)
    except FileNotFoundError:
        pass
    except OSError:  # a folder, or a disk that knows no second names
        os.replace(final, before)
    os.replace(made, final)


def _put_back(made: Path, final: Path, before: Path) -> None:
    if before.exists():
        os.replace(before, final)
    elif final.exists() and not made.exists():
        os.replace(final, made)


def file_digest(path: Path) -> str:
    """The SHA-256 digest of a file."""
    with path.open("rb") as file:
        return f"sha256:{hashlib.file_digest(file, 'sha256').hexdigest()}"
