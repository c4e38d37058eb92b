"""Texts written to files: refused before the work begins, and never lost after it."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from pathlib import Path

from divulge._support.wording import visible
from divulge.errors import SourceError


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
            with path.open("xb"):
                pass
            path.unlink()
        elif path.is_file():
            with path.open("ab"):
                pass
        elif not os.access(path, os.W_OK):  # a device or a pipe is not opened to try
            raise SourceError(f"{path} cannot be written: permission denied.", hint=hint)
    except (OSError, ValueError) as error:
        raise SourceError(f"{path} cannot be written: {reason(error)}.", hint=hint) from None


def write(path: Path, text: str, *, private: bool = False) -> None:
    """Write a text, for its owner only where it is private; where that fails, the error says where it is."""
    landed = land(path, text)
    if private:
        landed.chmod(0o600)
    if landed != path:
        raise elsewhere({path: landed})


def land(path: Path, text: str) -> Path:
    """Write a text and say where it is: at the path, or else in the current or the temporary folder.

    Control characters are shown and not obeyed, as on the terminal.
    """
    shown = visible(text)
    try:
        path.write_text(shown, "utf-8")
        return path
    except (OSError, ValueError) as error:
        why = reason(error)
    for place in (_beside_us, _temporary):
        try:
            return place(path, shown)
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


def _beside_us(path: Path, text: str) -> Path:
    """A new file of that name in the current folder, unless that is the folder that failed."""
    here = Path.cwd()
    if path.parent.resolve() == here:
        raise FileExistsError
    place = here / path.name
    with place.open("x", encoding="utf-8") as file:
        file.write(text)
    return place


def _temporary(path: Path, text: str) -> Path:
    """A new file in the temporary folder that nobody else may read."""
    handle, place = tempfile.mkstemp(prefix=f"{path.stem[:40]}-", suffix=path.suffix[:10])
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(text)
    return Path(place)
