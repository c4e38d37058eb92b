"""A path that can be read, or a sentence that says why not."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Callable
from pathlib import Path

from divulge.errors import EmptySource, MissingSource, SourceError, suggestion
from divulge.limits.ordinary_files import refuse_pipe

_HEAD = 1 << 16
_LONGEST_HEAD = 1 << 22
_GZIP = b"\x1f\x8b"
SPARK_READS = {".parquet", ".orc", ".csv", ".tsv", ".txt"}


def read_head(path: Path) -> bytes:
    """The first bytes of a file, unpacked if it is compressed."""
    refuse_pipe(path)
    try:
        with path.open("rb") as file:
            head = _some_lines(file.read)
        if head.startswith(_GZIP):
            with gzip.open(path) as unpacked:
                head = _some_lines(unpacked.read)
    except FileNotFoundError:
        raise _missing(path) from None
    except IsADirectoryError:
        raise SourceError(
            f"{path} is a directory, not a file.", hint="Name one CSV or Parquet file inside it."
        ) from None
    except PermissionError:
        raise SourceError(f"{path} may not be read.", hint="Check the permissions of the file.") from None
    except (gzip.BadGzipFile, EOFError, zlib.error):
        raise SourceError(
            f"{path.name} is compressed and damaged.", hint="Fetch or write it again."
        ) from None
    except (OSError, ValueError) as error:  # a path with a NUL in it is a ValueError
        raise SourceError(
            f"{path} cannot be opened ({type(error).__name__}).", hint="Check the path."
        ) from None
    if not head:
        raise EmptySource(f"{path.name} is empty.", hint="Check that it was written to the end.")
    return head


def _some_lines(read: Callable[[int], bytes]) -> bytes:
    """The beginning, longer where the header alone is very long."""
    head = block = read(_HEAD)
    while block and len(head) < _LONGEST_HEAD and head.count(b"\n") + head.count(b"\r") < 3:
        block = read(_HEAD)
        head += block
    return head


def is_compressed(path: Path) -> bool:
    """Whether the file is packed by gzip."""
    with path.open("rb") as file:
        return file.read(2) == _GZIP


def is_parquet(path: Path, head: bytes) -> bool:
    """Whether the file is Parquet, by its name or by its first bytes."""
    return path.suffix.lower() in {".parquet", ".pq"} or head.startswith(b"PAR1")


def _missing(path: Path) -> MissingSource:
    folder = path.parent
    try:
        names = [entry.name for entry in folder.iterdir()]
    except OSError:
        return MissingSource(f"No file {path}.", hint=f"There is no folder {folder} either.")
    return MissingSource(f"No file {path}.", hint=suggestion(path.name, names))


def names_table(place: str) -> bool:
    """Whether a place, if there is no file, is the name of a table that Spark knows."""
    return "/" not in place and Path(place.removesuffix(".gz")).suffix.lower() not in SPARK_READS
