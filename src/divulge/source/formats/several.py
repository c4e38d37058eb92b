"""Several files as one table: a folder or a pattern, with the partitions that folders are named for."""

from __future__ import annotations

import glob
import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import numpy as np
import numpy.typing as npt

from divulge._support.header import names_look_like_values
from divulge.errors import MissingSource, SourceError, counted, listing
from divulge.source.base import Columns, Source, check_asked, check_names, check_table
from divulge.source.beside.unread import Unread, joined, note_unread, unread_of
from divulge.source.dictionary import Dictionary
from divulge.source.formats.packing import ENDINGS
from divulge.source.parquet import Parquet
from divulge.table.codes import Codes

MOST_FILES = 10_000
_TABLES = (".parquet", ".pq", ".csv", ".tsv", ".txt")
_NOTHING = "__HIVE_DEFAULT_PARTITION__"
_OF_WRITERS = re.compile(r"_SUCCESS|_(?:common_)?metadata|_(?:committed|started)_\d+|\.DS_Store|\.gitignore")
_WHOLE = re.compile(r"0|-?[1-9]\d{0,17}")
_DELTA = "Save it as Parquet first: its folder also holds records that were deleted."


@dataclass(frozen=True)
class FilePart:
    """A file of a table, and the partitions that the folders above it name."""

    path: Path
    partitions: dict[str, str]


@dataclass(frozen=True, eq=False)
class SeveralFiles:
    """Tables of the same columns, one below the other."""

    name: str
    attributes: tuple[str, ...]
    records: int
    parts: tuple[Source, ...]
    files: tuple[Source, ...] = ()  # the parts as they are in their files

    @property
    def unread(self) -> tuple[Unread, ...]:
        """What was not read of any of the files."""
        return joined(one for file in self.files for one in unread_of(file))

    def encode(self, attributes: Sequence[str]) -> dict[str, Codes]:
        wanted = check_asked(attributes, self.attributes)
        dictionaries = {one: Dictionary(one) for one in wanted}
        blocks: dict[str, list[npt.NDArray[Any]]] = {one: [] for one in wanted}
        for part in self.parts:
            for one, codes in part.encode(wanted).items():
                blocks[one].append(_merged(codes, dictionaries[one]))
        return {one: dictionaries[one].gather(blocks[one]) for one in wanted}


def _merged(codes: Codes, dictionary: Dictionary) -> npt.NDArray[Any]:
    """The codes of a file as those of all files; only values that occur are learnt."""
    used = codes.used()
    learnt = dictionary.codes(codes.values_of(used))
    table = np.zeros(codes.cardinality, dtype=learnt.dtype)
    table[used] = learnt
    return table[codes.codes]


def is_several(path: Path) -> bool:
    """Whether a path stands for several files: a folder, or a pattern that is no file's name itself."""
    return os.path.isdir(path) or (glob.has_magic(str(path)) and not os.path.exists(path))


def files_of(path: Path) -> list[FilePart]:
    """The files of a folder or a pattern, in the order of their names."""
    if path.is_dir():
        root, found = path, _inside(path)
    else:
        root = Path(*takewhile(lambda part: not glob.has_magic(part), path.parts))
        found = [Path(one) for one in glob.glob(str(path), recursive=True) if os.path.isfile(one)]
    if not found:
        if path.is_dir() and not os.access(path, os.R_OK | os.X_OK):
            raise SourceError(f"No permission to read {path}.", hint="Check the permissions of the folder.")
        if not path.is_dir():
            raise MissingSource(
                f"No file matches {path}.", hint="Check the pattern, and the folder you are in."
            )
        raise MissingSource(
            f"{path} has no table files.",
            hint="It may hold CSV or Parquet files, also in folders such as year=2020.",
        )
    if len(found) > MOST_FILES:
        raise SourceError(
            f"{path} has {len(found):,} files, and the limit is {MOST_FILES:,}.", hint="Join some first."
        )
    _refuse_mixed(path, found)
    return [FilePart(one, _partitions(one.relative_to(root))) for one in sorted(found)]


def open_parts(name: str, parts: Iterable[FilePart], open_one: Callable[[Path], Source]) -> SeveralFiles:
    """Files as one table, each opened by ``open_one``; text is held as codes only."""
    opened: list[Source] = []
    found: list[Source] = []
    listed = list(parts)
    whole = {
        key: all(_WHOLE.fullmatch(part.partitions.get(key, "")) for part in listed)
        for key in {key for part in listed for key in part.partitions}
    }
    for part in listed:
        source = open_one(part.path)
        typed = isinstance(source, Parquet)
        held = source if typed else _held(source)
        found.append(held)
        values = {key: int(text) if typed and whole[key] else text for key, text in part.partitions.items()}
        opened.append(_partitioned(held, values))
    attributes = opened[0].attributes
    check_names(name, attributes)
    _refuse_differing(name, opened, [one for one in found if isinstance(one, Parquet)])
    records = sum(one.records for one in opened)
    check_table(name, attributes, records)
    return SeveralFiles(name, attributes, records, tuple(opened), tuple(found))


def _inside(folder: Path) -> list[Path]:
    found = []
    for place, folders, names in os.walk(folder):
        if "_delta_log" in folders:
            raise SourceError(f"{folder} is a Delta table.", hint=_DELTA)
        folders[:] = [one for one in folders if not one.startswith((".", "_"))]
        found += [Path(place) / one for one in names if not one.startswith((".", "_"))]
    return found


def left_aside(path: Path) -> list[Unread]:
    """The files of a folder that their names leave out, but for empty ones and those of its writers."""
    found = 0
    for place, _, names in os.walk(path) if path.is_dir() else ():
        inside = any(part.startswith((".", "_")) for part in Path(place).relative_to(path).parts)
        aside = [Path(place) / one for one in names if inside or one.startswith((".", "_"))]
        found += sum(not _is_of_writers(one) for one in aside)
    return (
        [Unread("file whose name, or whose folder's, begins with _ or a dot", found, "data")] if found else []
    )


def _is_of_writers(file: Path) -> bool:
    """Whether a file holds nothing, or what a writer of tables notes down for itself."""
    try:
        if not file.stat().st_size or _OF_WRITERS.fullmatch(file.name):
            return True
        if file.suffix != ".crc":
            return False
        with file.open("rb") as opened:
            return opened.read(4) == b"crc\0"
    except OSError:
        return False


def _refuse_mixed(path: Path, found: Sequence[Path]) -> None:
    """Stop where files are of several kinds, for then some may be no part of the table."""
    kinds = {_kind(one.name) for one in found}
    if None in kinds and path.is_dir():
        others = sum(_kind(one.name) is None for one in found)
        raise SourceError(
            f"{path} holds {counted(others, 'file')} of another kind than CSV and Parquet.",
            hint=f"Name those you mean by a pattern, such as '{path / '*.csv'}'.",
        )
    if {".parquet", ".pq"} & kinds and kinds - {".parquet", ".pq"}:
        raise SourceError(
            f"{path} holds CSV files and Parquet files.",
            hint="Name one kind by a pattern, such as '*.parquet'.",
        )


def _kind(name: str) -> str | None:
    path = Path(name.lower())
    suffix = Path(path.stem).suffix if path.suffix in ENDINGS else path.suffix
    return suffix if suffix in _TABLES else None


def _partitions(path: Path) -> dict[str, str]:
    """What the folders of a path say, such as year=2020."""
    pairs = [part.partition("=") for part in path.parts[:-1]]
    return {unquote(key): unquote(value) for key, equals, value in pairs if equals and key}


def _held(source: Source) -> Columns:
    """A source whose columns are codes already, so that what it was read from can go."""
    codes = source.encode(source.attributes)
    held = Columns(source.name, source.attributes, source.records, codes.__getitem__)
    note_unread(held, unread_of(source))
    return held


def _partitioned(source: Source, values: Mapping[str, object]) -> Source:
    """A source with a column more for each partition, the same value in all its records."""
    if not values:
        return source

    def encoder(attribute: str) -> Codes:
        if attribute in values:
            known = [values[attribute]] if values[attribute] not in (_NOTHING, "") else []
            return Codes(np.full(source.records, len(known), dtype=np.uint8), known)
        return source.encode([attribute])[attribute]

    return Columns(source.name, (*source.attributes, *values), source.records, encoder)


def _refuse_differing(name: str, parts: Sequence[Source], typed: Sequence[Parquet]) -> None:
    """Stop where files have different columns, or one of text where another has numbers."""
    times = Counter(attribute for one in parts for attribute in one.attributes)
    some = sorted(attribute for attribute, seen in times.items() if seen < len(parts))
    if some:
        said = counted(len(some), "column") if names_look_like_values(some) else listing(some)
        raise SourceError(
            f"The files of {name} have different columns. Not in all of them: {said}.",
            hint="Give files of the same columns.",
        )
    mixed = [
        one
        for one in (typed[0].attributes if typed else ())
        if len({part.columns[one].kind == "VARCHAR" for part in typed}) > 1
    ]
    if mixed:
        raise SourceError(
            f"In some files of {name} these columns hold text and in others not: {listing(mixed)}.",
            hint="Write all files with the same types.",
        )
