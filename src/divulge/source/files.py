"""A path that can be read, or a sentence that says why not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from divulge._support.addresses import is_address
from divulge._support.wording import reported
from divulge.errors import EmptySource, MissingSource, SourceError, file_suggestion
from divulge.limits.ordinary_files import refuse_pipe

STANDARD_INPUT = "-"  # what a command is given where the table is piped into it
CHECK_PATH = "Check the path."
_HEAD = 1 << 16
_LONGEST_HEAD = 1 << 22
SPARK_READS = {".parquet", ".orc", ".csv", ".tsv", ".txt"}


@dataclass(frozen=True)
class DataFile:
    """A file that holds a table: what to call it, where it is, how it begins, and what its name ends in."""

    name: str
    path: Path
    head: bytes = field(repr=False)  # it holds records
    suffix: str

    @classmethod
    def at(cls, path: Path, *, name: str | None = None, suffix: str | None = None) -> DataFile:
        """The file at a path, which may be a copy of what the user calls something else."""
        head = read_head(path, name or path.name)
        return cls(name or path.name, path, head, path.suffix.lower() if suffix is None else suffix)


def read_head(path: Path, name: str) -> bytes:
    """The first bytes of a file."""
    refuse_pipe(path)
    try:
        with path.open("rb") as file:
            head = _some_lines(file.read)
    except FileNotFoundError:
        raise _missing(path) from None
    except PermissionError:
        raise SourceError(
            f"No permission to read {path}.", hint="Check the permissions of the file."
        ) from None
    except (OSError, ValueError) as error:  # a path with a NUL in it is a ValueError
        raise SourceError(f"{path} cannot be opened{reported(error)}.", hint=CHECK_PATH) from None
    if not head:
        raise EmptySource(f"{name} is empty.", hint="Check that it was written to the end.")
    return head


def _some_lines(read: Callable[[int], bytes]) -> bytes:
    """The beginning, longer where the header alone is very long."""
    head = block = read(_HEAD)
    while block and len(head) < _LONGEST_HEAD and head.count(b"\n") + head.count(b"\r") < 3:
        block = read(_HEAD)
        head += block
    return head


def unreadable_as(name: str, called: str, error: Exception | str) -> SourceError:
    """The error for a file that a library gave up on, in none of its words: they may quote records."""
    if isinstance(error, RuntimeError) and "interrupted" in str(error).lower():  # Ctrl-C inside DuckDB
        raise KeyboardInterrupt from None
    return SourceError(
        f"{name} cannot be read as {called}{reported(error)}.",
        hint="It may be cut off or damaged, or of another kind; write it again.",
    )


NO_TABLES = (".html", ".toml", ".md")  # what is written beside tables


def _missing(path: Path) -> MissingSource:
    folder = path.parent
    if is_address(str(path)):  # mistyped, and its password is nobody's business
        return MissingSource(
            "There is no such file, and a database needs :// in its address.",
            hint="An address looks like postgresql+psycopg://user@host/database.",
        )
    try:
        beside = [one for one in folder.iterdir() if one.exists()]
        names = [one.name for one in beside if one.suffix.lower() not in NO_TABLES]
    except OSError:
        return MissingSource(f"No file {path}.", hint=f"There is no folder {folder} either.")
    if path.is_symlink():
        return MissingSource(f"{path} is a link to a file that is not there.", hint=CHECK_PATH)
    return MissingSource(f"No file {path}.", hint=file_suggestion(path.name, names) or CHECK_PATH)


def names_table(place: str) -> bool:
    """Whether a place, if there is no file, is the name of a table that Spark knows."""
    return "/" not in place and Path(place.removesuffix(".gz")).suffix.lower() not in SPARK_READS
