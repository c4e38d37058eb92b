"""Text compressed as it is written, so that the same release gives the same bytes."""

from __future__ import annotations

import bz2
import gzip
import lzma
import zipfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from divulge.errors import MissingLibrary

#: Endings that say how a file is compressed.
PACKINGS = (".gz", ".bz2", ".xz", ".zst", ".zip")
_LEVEL = 6  # the highest takes several times as long, and saves little


@contextmanager
def opened(path: Path, packing: str, member: str) -> Iterator[Any]:
    """A file to write to, compressed as its ending says; ``member`` is the name inside of a zip archive."""
    with ExitStack() as held:
        raw: Any = held.enter_context(path.open("wb"))
        if packing == ".gz":
            raw = held.enter_context(gzip.GzipFile("", "wb", _LEVEL, raw, mtime=0))
        elif packing == ".bz2":
            raw = held.enter_context(bz2.BZ2File(raw, "wb"))
        elif packing == ".xz":
            raw = held.enter_context(lzma.LZMAFile(raw, "wb", preset=_LEVEL))
        elif packing == ".zst":
            import zstandard

            raw = held.enter_context(zstandard.ZstdCompressor().stream_writer(raw, closefd=False))
        elif packing == ".zip":
            archive = held.enter_context(zipfile.ZipFile(raw, "w"))
            inside = zipfile.ZipInfo(member)  # dated 1980, so that the day of writing changes nothing
            inside.compress_type = zipfile.ZIP_DEFLATED
            inside.external_attr = 0o644 << 16
            raw = held.enter_context(archive.open(inside, "w", force_zip64=True))
        yield raw


def refuse_packing(packing: str) -> None:
    """Refuse a compression whose library is not installed."""
    if packing == ".zst" and find_spec("zstandard") is None:
        raise MissingLibrary("a file compressed by Zstandard", "zstandard", "zstd", doing="Writing")
