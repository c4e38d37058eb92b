"""A release written to files that are there whole or not at all."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path

from divulge._support.whole_files import whole_file
from divulge.errors import DivulgeError, ParameterError, SourceError
from divulge.mechanisms.working_table import WorkingTable
from divulge.recipes.outputs.forms import writer_for
from divulge.report.shared.writing import reason

_BLOCK = 1 << 20
_PRIVATE = 0o600


def refuse_release(path: Path, *, overwrite: bool, layout: str | None = None) -> None:
    """Refuse a file for a release whose ending says no form, or that is there already."""
    writer_for(path, layout)
    refuse_existing(path, overwrite=overwrite)


def refuse_existing(path: Path, *, overwrite: bool) -> None:
    """Refuse a file that is there already, unless it may be replaced."""
    if path.exists() and not overwrite:
        raise ParameterError(
            f"{path} is there already.", hint="Name another file, or allow it with --overwrite."
        )


def write_release(
    table: WorkingTable,
    path: Path,
    *,
    overwrite: bool = False,
    layout: str | None = None,
    private: bool = False,
) -> str:
    """Write a table and give the digest of the file; where it fails, what was at the path is there still.

    What goes out beside the table is written next to it. A ``private`` file is for its owner only.
    """
    files = {path: table} | {place_beside(path, name): one for name, one in (table.beside or {}).items()}
    for one in files:
        refuse_existing(one, overwrite=overwrite)
    digests = _written(files, layout=layout, private=private)
    return digests[path]


def place_beside(path: Path, name: str) -> Path:
    """The file of a table that goes out beside another.

    >>> place_beside(Path("released.csv.gz"), "sensitive").name
    'released-sensitive.csv.gz'
    """
    stem, dot, endings = path.name.partition(".")
    return path.with_name(f"{stem}-{name}{dot}{endings}")


def _written(files: Mapping[Path, WorkingTable], *, layout: str | None, private: bool) -> dict[Path, str]:
    """Write all files, of which none is at its place before all are complete."""
    digests = {}
    path = next(iter(files))
    try:
        with ExitStack() as held:  # each is moved to its place when all are written
            for path, table in files.items():
                made = held.enter_context(whole_file(path))
                writer_for(path, layout)(table, made)
                _set_mode(made, path, private)
                digests[path] = file_digest(made)
    except (DivulgeError, MemoryError):
        raise
    except OSError as error:
        raise SourceError(f"{path} cannot be written: {reason(error)}.", hint="Name another file.") from None
    except Exception as error:  # each library has errors of its own, and some quote what they write
        raise SourceError(
            f"{path} cannot be written ({type(error).__name__}).",
            hint="The disk may be full; or write another form, such as .csv or .parquet.",
        ) from None
    return digests


def _set_mode(made: Path, path: Path, private: bool) -> None:
    """Let a new file be read by whom the one that it replaces may be read by."""
    if private:
        made.chmod(_PRIVATE)
    elif path.exists():
        made.chmod(path.stat().st_mode & 0o777)


def file_digest(path: Path) -> str:
    """The SHA-256 digest of a file."""
    found = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            found.update(block)
    return f"sha256:{found.hexdigest()}"
