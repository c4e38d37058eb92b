"""Paths that are read only if they are plain files of a size that can be held."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from divulge.errors import SourceError

MOST_TEXT = 1 << 26  # bytes of a policy, a hierarchy or another file that is not the data


def refuse_pipe(path: Path) -> None:
    """Stop before a pipe or a device is opened: reading it may wait for ever, and it is read only once."""
    try:
        mode = path.stat().st_mode
    except (OSError, ValueError):  # opening it says what is wrong
        return
    if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)) or _is_of_system(path):
        raise SourceError(
            f"{path} is a pipe, a device or a socket, not a file.", hint="Save its content to a file first."
        )


def _is_of_system(path: Path) -> bool:
    """Whether what looks like a file is made by the system while it is read."""
    return os.path.realpath(path).startswith(("/proc/", "/sys/"))


def is_named_pipe(path: Path) -> bool:
    """Whether a path is a pipe that has to be opened, which waits for somebody at its other end.

    What a shell has open for ``>(...)`` is only reached through a folder of the system.
    """
    return path.is_fifo() and not _is_of_system(path)


def refuse_unreadable_text(path: Path) -> None:
    """Stop before a pipe is opened, or before a file is held that is far longer than anybody writes."""
    refuse_pipe(path)
    try:
        size = path.stat().st_size
    except (OSError, ValueError):
        return
    if size > MOST_TEXT:
        raise SourceError(
            f"{path} has {size >> 20:,} MB, and a file of this kind may have {MOST_TEXT >> 20}.",
            hint="Check that this is the file you meant.",
        )
