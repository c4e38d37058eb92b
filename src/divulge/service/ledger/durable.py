"""Files that are still there after the power has failed: they are synced, and so are their folders."""

from __future__ import annotations

import os
from pathlib import Path


def write_new(path: Path, content: bytes, mode: int) -> None:
    """A new file with some content, on disk before this returns; FileExistsError where there is one."""
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    try:
        os.fchmod(handle, mode)  # whatever the umask takes away
        os.write(handle, content)
        os.fsync(handle)
    finally:
        os.close(handle)


def make_folder(folder: Path, mode: int = 0o777) -> None:
    """A folder and those above it, each named on disk before this returns."""
    missing = [one for one in (folder, *folder.parents) if not one.exists()]
    folder.mkdir(parents=True, exist_ok=True, mode=mode)
    for one in missing:
        sync_folder(one.parent)


def sync_folder(folder: Path) -> None:
    """Put the names in a folder on disk."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def replace_file(path: Path, content: bytes, mode: int) -> None:
    """A file with another content, the old or the new one at any moment, on disk before this returns."""
    beside = path.with_name(f"{path.name}.new")
    beside.unlink(missing_ok=True)
    write_new(beside, content, mode)
    beside.replace(path)
    sync_folder(path.parent)
