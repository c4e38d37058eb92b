"""Compressed files and standard input: brought to a plain file on disk, within what the disk has room for."""

from __future__ import annotations

import bz2
import gzip
import lzma
import re
import shutil
import sys
import tempfile
import zipfile
import zlib
from collections.abc import Generator, Iterable
from contextlib import ExitStack, closing
from importlib.util import find_spec
from pathlib import Path
from typing import IO, Any

from divulge._support.wording import reported
from divulge.errors import MissingLibrary, SourceError, TooMuch, counted
from divulge.limits.sizes import spelled
from divulge.source.beside.unread import Unread, of_texts
from divulge.source.files import DataFile

_PACKINGS = {
    "gzip": (b"\x1f\x8b",),
    "bzip2": (b"BZh",),
    "xz": (b"\xfd7zXZ\0",),
    "Zstandard": (b"\x28\xb5\x2f\xfd",),
    "zip": (b"PK\x03\x04", b"PK\x05\x06"),
}
ENDINGS = {".gz", ".bz2", ".xz", ".zst", ".zip"}
_OFFICE = (b"xl/", b"word/", b"ppt/", b"docProps/", b"[Content_Types].xml", b"mimetype", b"META-INF/")
_MEMBER = re.compile(rb"PK\x03\x04.{22}(..)..", re.DOTALL)
_BLOCK = 1 << 20
_SAMPLE = 1 << 24  # bytes of what is unpacked from which the rest is guessed
_TIMES = 1000  # a table is hardly ever packed to less than a thousandth
_ANYWAY = 10**9  # bytes that are unpacked however little they were
_ZSTD_BLOCK = 1 << 12  # so little is fed at once that what comes out can be held
_DAMAGED = (
    OSError,
    EOFError,
    zlib.error,
    lzma.LZMAError,
    zipfile.BadZipFile,
    NotImplementedError,
    RuntimeError,
)


def packing_of(head: bytes) -> str | None:
    """How a file is compressed, if it is; an Office document is a zip archive, but none to unpack."""
    found = next((packing for packing, begun in _PACKINGS.items() if head.startswith(begun)), None)
    return None if found == "zip" and is_office(head) else found


def is_office(head: bytes) -> bool:
    """Whether a zip archive is an Office document, told from the names of its first members."""
    return any(name.startswith(_OFFICE) for name in member_names(head))


def member_names(head: bytes) -> list[bytes]:
    """The names of the members at the beginning of a zip archive."""
    places = [(int.from_bytes(one[1], "little"), one.end()) for one in _MEMBER.finditer(head)]
    return [head[start : start + length] for length, start in places]


def standard_input(undo: ExitStack) -> DataFile:
    """What is piped into the command, copied to a file that goes when ``undo`` is closed."""
    source = getattr(sys.stdin, "buffer", None)
    if source is None or source.isatty():
        raise SourceError("Nothing is piped into standard input.", hint="Write: divulge audit - < people.csv")
    copy = _scratch(undo)
    _copy("standard input", iter(lambda: source.read(_BLOCK), b""), copy, _room())
    return DataFile.at(copy, name="standard input", suffix="")


def unpacked(file: DataFile, undo: ExitStack) -> DataFile:
    """The same file without its compression; the copy goes when ``undo`` is closed."""
    packing = packing_of(file.head)
    if packing is None:
        return file
    try:
        suffix = _suffix(file, packing)
        most = min(_room(), max(_ANYWAY, _TIMES * file.path.stat().st_size))
        _refuse_large(file.name, unpacked_size(file.path, packing), most)
        copy = _scratch(undo)
        with closing(_blocks(file.path, packing)) as blocks:
            _copy(file.name, blocks, copy, most)
    except _DAMAGED as error:
        if isinstance(error, OSError) and error.errno:  # the disk, not the file
            raise SourceError(f"{file.name} cannot be unpacked{reported(error)}.") from None
        raise SourceError(
            f"{file.name} is compressed and damaged.", hint="Fetch or write it again."
        ) from None
    inner = DataFile.at(copy, name=file.name, suffix=suffix)
    if packing_of(inner.head) is not None:
        raise SourceError(f"{file.name} is compressed twice.", hint="Unpack it once yourself.")
    return inner


def packed_beside(file: DataFile) -> list[Unread]:
    """What a zip archive holds beside its only file: comments, and files of the system that packed it."""
    if packing_of(file.head) != "zip":
        return []
    with zipfile.ZipFile(file.path) as archive:
        listed = archive.infolist()
        comments = [one.decode("utf-8", "replace") for one in (archive.comment, *(m.comment for m in listed))]
        beside = [one for one in listed if one.filename.startswith("__MACOSX/") and not one.is_dir()]
    system = [one for one in beside if not Path(one.filename).name.startswith("._")]
    found = of_texts("comment of the zip archive", "data", comments)
    return [*found, *([Unread("file beside it in the zip archive", len(system), "data")] if system else [])]


def unpacked_size(path: Path, packing: str) -> int:
    """How many bytes a compressed file holds: as it says itself, or guessed from its beginning."""
    if packing == "zip":
        with zipfile.ZipFile(path) as archive:
            return _only_member(path.name, archive).file_size
    size, read = 0, 0
    with path.open("rb") as raw, closing(_opened(raw, packing)) as blocks:
        for block in blocks:
            size, read = size + len(block), raw.tell()
            if size >= _SAMPLE:
                return size * path.stat().st_size // read
    return size


def _suffix(file: DataFile, packing: str) -> str:
    """What the name of the packed file ends in."""
    if packing == "zip":
        with zipfile.ZipFile(file.path) as archive:
            return Path(_only_member(file.name, archive).filename).suffix.lower()
    stem = Path(file.name)
    return Path(stem.stem if stem.suffix.lower() in ENDINGS else stem.name).suffix.lower()


def _only_member(name: str, archive: zipfile.ZipFile) -> zipfile.ZipInfo:
    members = [
        one for one in archive.infolist() if not one.is_dir() and not one.filename.startswith("__MACOSX/")
    ]
    if len(members) != 1:
        raise SourceError(
            f"{name} is a zip archive of {counted(len(members), 'file')}; one file is read.",
            hint="Unpack it, and name the file you mean.",
        )
    if members[0].flag_bits & 1:
        raise SourceError(f"{name} is protected by a password.", hint="Unpack it first.")
    return members[0]


def _blocks(path: Path, packing: str) -> Generator[bytes]:
    with ExitStack() as held:
        if packing == "zip":
            archive = held.enter_context(zipfile.ZipFile(path))
            stream: Any = held.enter_context(archive.open(_only_member(path.name, archive)))
            yield from iter(lambda: stream.read(_BLOCK), b"")
        else:
            yield from _opened(held.enter_context(path.open("rb")), packing)


def _opened(raw: IO[bytes], packing: str) -> Generator[bytes]:
    if packing == "Zstandard":
        yield from _zstandard(raw)
        return
    reader: Any = {"gzip": gzip.open, "bzip2": bz2.open, "xz": lzma.open}[packing]
    with reader(raw) as stream:
        yield from iter(lambda: stream.read(_BLOCK), b"")


def _zstandard(raw: IO[bytes]) -> Generator[bytes]:
    """What a file of one or more frames holds; the last must be whole."""
    if find_spec("zstandard") is None:
        raise MissingLibrary("a file compressed by Zstandard", "zstandard", "zstd")
    import zstandard

    frame, rest = None, b""
    try:
        while fed := rest or raw.read(_ZSTD_BLOCK):
            frame = frame or zstandard.ZstdDecompressor(max_window_size=1 << 31).decompressobj()
            yield frame.decompress(fed)
            rest = frame.unused_data
            frame = None if frame.eof else frame
    except zstandard.ZstdError as error:
        raise EOFError from error
    if frame is not None:
        raise EOFError


def _scratch(undo: ExitStack) -> Path:
    folder = Path(tempfile.mkdtemp(prefix="divulge-"))
    undo.callback(shutil.rmtree, folder, ignore_errors=True)
    return folder / "copy"


def _room() -> int:
    """Half of what is free on the disk: what is read from the copy may need as much."""
    return shutil.disk_usage(tempfile.gettempdir()).free // 2


def _copy(name: str, blocks: Iterable[bytes], copy: Path, most: int) -> None:
    size = 0
    with copy.open("wb") as target:
        for block in blocks:
            size += len(block)
            _refuse_large(name, size, most)
            target.write(block)


def _refuse_large(name: str, size: int, most: int) -> None:
    if size > most:
        raise TooMuch(
            f"{name} would take {spelled(size)} or more of disk; the limit here is {spelled(most)}.",
            hint="Check that it is a table; name a larger disk by TMPDIR, or unpack it yourself.",
        )
