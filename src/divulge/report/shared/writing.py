"""Texts written to files: refused before the work begins, and never lost after it."""

from __future__ import annotations

import html
import os
import re
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from divulge._support.wording import visible
from divulge.errors import ParameterError, SourceError
from divulge.limits.ordinary_files import is_named_pipe

_OWNER = 0o600  # who may read and write a private file
#: What every page of divulge, and every document, has near its beginning; a page names its table there.
_OURS = re.compile(r'<title>([^<]*) \(divulge [a-z ]+\)</title>|^{\s*()"document": "divulge ')
_BEGINNING = 4000


def refuse_ending(path: Path, endings: Sequence[str]) -> None:
    """Stop if a file's name says that it holds something else; a name without an ending says nothing."""
    if endings and path.suffix and path.suffix.lower() not in endings:
        raise SourceError(
            f"{path.name} does not end in {endings[0]}, which is what would be written.",
            hint=f"Name a file that ends in {' or '.join(endings)}.",
        )


def refuse_unwritable(path: Path) -> None:
    """Stop before the work begins if a file cannot be written there; nothing is left behind by trying."""
    hint = "Name another file."
    try:
        if path.is_dir():
            raise SourceError(f"{path} is a folder, not a file.", hint=hint)
        if not path.parent.is_dir():
            raise SourceError(
                f"{path} cannot be written: there is no folder {path.parent}.", hint="Make it first."
            )
        if not path.exists():
            tried = path.open("xb")
            try:
                tried.close()
            finally:
                path.unlink()
        elif path.is_file():
            with path.open("ab"):
                pass
        elif is_named_pipe(path):
            raise SourceError(f"{path} is a pipe, and writing to it may wait for ever.", hint=hint)
        elif not os.access(path, os.W_OK):  # a device or a pipe is not opened to try
            raise SourceError(f"{path} cannot be written: permission denied.", hint=hint)
    except (OSError, ValueError) as error:
        raise SourceError(f"{path} cannot be written: {reason(error)}.", hint=hint) from None


def refuse_replacing(path: Path, table: str | None = None) -> None:
    """Refuse to replace a file that is no report of divulge, or a report on another table than named."""
    if not os.path.isfile(path):  # which is no error for a name that no file can have
        return
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            ours = _OURS.search(file.read(_BEGINNING))
    except OSError as error:
        raise SourceError(f"{path} cannot be read: {reason(error)}.", hint="Name another file.") from None
    if ours is not None and (table is None or html.unescape(ours[1] or "").startswith(f"{table}: ")):
        return
    what = "not a report of divulge" if ours is None else "a report on another table"
    raise ParameterError(
        f"{path} is there already, and is {what}.", hint="Name another file, or allow it with --overwrite."
    )


def write(path: Path, text: str, *, private: bool = False) -> None:
    """Write a text, for its owner only where it is private; where that fails, the error says where it is."""
    landed = land(path, text, private=private)
    if landed != path:
        raise elsewhere({path: landed})


def land(path: Path, text: str, *, private: bool = False) -> Path:
    """Write a text and say where it is: at the path, or else in the current or the temporary folder.

    Control characters are shown and not obeyed, as on the terminal. A private file is its owner's alone from
    the beginning.
    """
    shown = visible(text)
    try:
        if private:
            _owned(path)
        path.write_text(shown, "utf-8")
        return path
    except (OSError, ValueError) as error:
        why = reason(error)
    for place in (_beside_us, _temporary):
        try:
            return place(path, shown, private)
        except (OSError, ValueError):
            continue
    raise SourceError(
        f"{path} cannot be written: {why}, nor can a copy elsewhere.", hint="Name another file."
    )


def elsewhere(landed: Mapping[Path, Path]) -> SourceError:
    """The error for files that could not be written where they should: each is in another place now."""
    moved = [f"{asked} cannot be written; it is in {where} instead." for asked, where in landed.items()]
    return SourceError(" ".join(moved))


def reason(error: Exception) -> str:
    """Why the system refuses a file, in its own words where it has some."""
    return str(getattr(error, "strerror", None) or "no file can have this name").lower()


def _owned(path: Path) -> None:
    """Let a file be its owner's alone before anything is in it."""
    os.close(os.open(path, os.O_CREAT | os.O_WRONLY, _OWNER))
    if path.is_file():
        path.chmod(_OWNER)


def _beside_us(path: Path, text: str, private: bool) -> Path:
    """A new file of that name in the current folder, unless that is the folder that failed."""
    here = Path.cwd()
    if path.parent.resolve() == here:
        raise FileExistsError
    place = here / path.name
    with place.open("x", encoding="utf-8") as file:
        if private:
            _owned(place)
        file.write(text)
    return place


def _temporary(path: Path, text: str, private: bool) -> Path:
    """A new file in the temporary folder that nobody else may read."""
    handle, place = tempfile.mkstemp(prefix=f"{path.stem[:40]}-", suffix=path.suffix[:10])
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(text)
    return Path(place)
