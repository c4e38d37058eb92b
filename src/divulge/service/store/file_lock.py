"""A file for one process at a time, whatever name it is opened by."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

from divulge.errors import SourceError

_HELD: set[tuple[int, int, int]] = set()  # by this process: its id, and the device and number of the file


class FileLock:
    """A lock on the file itself, and not on a name: a hard link, a symbolic link or a mount has the same one.

    The file is not opened a second time by a process that holds it: closing that would undo SQLite's locks.
    """

    def __init__(self, path: Path, *, create: bool = False) -> None:
        self._handle: int | None = None
        try:
            if path.exists():
                self._refuse_own(path)
            flags = os.O_RDWR | (os.O_CREAT if create else 0)
            self._handle = os.open(path, flags, 0o600)  # every record is in it: nobody else's to read
            found = os.fstat(self._handle)
        except OSError as error:
            raise SourceError(f"{path} cannot be opened: {error.strerror}.") from None
        self._key = os.getpid(), found.st_dev, found.st_ino
        try:
            fcntl.flock(self._handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(self._handle)
            raise _in_use(path) from None
        _HELD.add(self._key)
        if found.st_nlink > 1:
            self.release()
            raise SourceError(
                f"{path} has a second name (a hard link), and SQLite keeps the latest commits under one of "
                "them only.",
                hint="Remove the other name. For a copy use: divulge release backup",
            )

    def _refuse_own(self, path: Path) -> None:
        found = path.stat()
        if (os.getpid(), found.st_dev, found.st_ino) in _HELD:
            raise _in_use(path)

    def holds(self, path: Path) -> bool:
        """Whether a name still leads to the file that is locked: it may have been replaced or removed."""
        try:
            found = os.stat(path)
        except OSError:
            return False
        return (found.st_dev, found.st_ino) == self._key[1:]

    def release(self) -> None:
        """Let others have the file."""
        if self._handle is not None:
            _HELD.discard(self._key)
            os.close(self._handle)
            self._handle = None


def _in_use(path: Path) -> SourceError:
    return SourceError(
        f"Another process has {path} open.",
        hint="A SQLite database can serve one process. Stop the other one, or use PostgreSQL.",
    )
