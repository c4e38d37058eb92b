"""A release written to files that are there whole or not at all."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from divulge._support.whole_files import file_digest, together, whole_file
from divulge._support.wording import visible
from divulge.errors import DivulgeError, ParameterError, SourceError
from divulge.mechanisms.working_table import WorkingTable
from divulge.recipes.outputs.forms import writer_for
from divulge.report.shared.writing import reason, write

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


def write_text(path: Path, text: str, *, private: bool) -> None:
    """Write a text that goes with a release, as its manifest; where it fails, nothing is left of it."""
    shown = visible(text)
    if path.exists() and not path.is_file():  # a pipe or a device
        write(path, text)
        return
    with _said_of(path), whole_file(path) as made:
        made.write_text(shown, "utf-8")
        _set_mode(made, path, private)


def _written(files: Mapping[Path, WorkingTable], *, layout: str | None, private: bool) -> dict[Path, str]:
    """Write all files, of which none is at its place before all are complete."""
    digests = {}
    with together():
        for path, table in files.items():
            with _said_of(path), whole_file(path) as made:
                writer_for(path, layout)(table, made)
                _set_mode(made, path, private)
                digests[path] = file_digest(made)
    return digests


@contextmanager
def _said_of(path: Path) -> Iterator[None]:
    """Why a file cannot be written, in a sentence."""
    try:
        yield
    except (DivulgeError, MemoryError):
        raise
    except OSError as error:
        raise SourceError(f"{path} cannot be written: {reason(error)}.", hint="Name another file.") from None
    except Exception as error:  # each library has errors of its own, and some quote what they write
        raise SourceError(
            f"{path} cannot be written ({type(error).__name__}).",
            hint="The disk may be full; or write another form, such as .csv or .parquet.",
        ) from None


def _set_mode(made: Path, path: Path, private: bool) -> None:
    """Let a new file be read by whom the one that it replaces may be read by."""
    if private:
        made.chmod(_PRIVATE)
    elif path.exists():
        made.chmod(path.stat().st_mode & 0o777)
