"""Asking the worker: what a library found in a file, or a sentence where it gave up."""

from __future__ import annotations

import pickle
import subprocess
import sys
from typing import Any

from divulge.errors import TooMuch
from divulge.limits.sizes import MOST_MEMORY, spelled
from divulge.source.files import DataFile, unreadable_as
from divulge.source.formats import worker


def read_apart(file: DataFile, called: str, task: str, *arguments: str, **sentences: Exception) -> Any:
    """What a task of the worker finds in a file; ``sentences`` are errors for what it may report."""
    script = [sys.executable, "-P", worker.__file__, str(MOST_MEMORY), task, str(file.path), *arguments]
    try:
        done = subprocess.run(script, capture_output=True, check=False)
        found = pickle.loads(done.stdout)
    except (OSError, ValueError, EOFError, pickle.UnpicklingError) as error:
        if isinstance(error, OSError | ValueError):  # no process, or a name with a NUL in it
            raise unreadable_as(file.name, called, error) from None
        found = "Aborted"
        if b"memory allocation" in done.stderr:
            found = "MemoryError"
    if found == "MemoryError":
        raise TooMuch(
            f"Reading {file.name} needs more memory than {spelled(MOST_MEMORY)}.",
            hint="Check that it is whole, or save the table as Parquet or CSV.",
        )
    if isinstance(found, str):
        raise sentences.get(found) or unreadable_as(file.name, called, found)
    return found
