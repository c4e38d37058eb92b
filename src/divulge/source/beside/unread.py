"""What a file holds beside the table that was read from it: it goes out with the file, uncounted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain, islice
from pathlib import Path
from typing import Literal, Protocol, runtime_checkable
from weakref import WeakKeyDictionary

from divulge.source.base import Source

MOST_TEXTS = 2000  # of one kind that are kept to be looked at
LONGEST_TEXT = 1000  # signs of them

#: Data that were not read; lines that someone wrote, as titles are; a list of values, as codes have; or what
#: programs write of themselves.
Nature = Literal["data", "written", "listed", "usual"]


@dataclass(frozen=True)
class Unread:
    """Parts of a file of one kind: what to call one of them, how many there are, and some of their texts.

    A list is one ``of`` something, such as an attribute.
    """

    what: str
    count: int
    nature: Nature
    texts: tuple[str, ...] = field(default=(), repr=False)  # of records, perhaps: never said
    of: str = ""


@runtime_checkable
class HoldsMore(Protocol):
    """A source that knows by itself what of its file was not read."""

    @property
    def unread(self) -> tuple[Unread, ...]: ...


_NOTED: WeakKeyDictionary[Source, tuple[Unread, ...]] = WeakKeyDictionary()


def of_texts(
    what: str, nature: Nature, texts: Iterable[str], count: int | None = None, of: str = ""
) -> list[Unread]:
    """Parts that are texts, if there are any; blank ones say nothing."""
    held = [text for text in texts if text.strip()]
    kept = tuple(text[:LONGEST_TEXT] for text in held[:MOST_TEXTS])
    return [Unread(what, len(held) if count is None else count, nature, kept, of)] if held else []


def note_unread(source: Source, found: Iterable[Unread]) -> Source:
    """The source, of which it is known from now on what of its file was not read."""
    if added := tuple(found):
        _NOTED[source] = (*_NOTED.get(source, ()), *added)
    return source


def unread_of(source: Source) -> tuple[Unread, ...]:
    """What was not read of the file of a source; nothing where it is no file."""
    own = source.unread if isinstance(source, HoldsMore) else ()
    return joined([*_NOTED.get(source, ()), *own])


def joined(found: Iterable[Unread]) -> tuple[Unread, ...]:
    """Parts of the same kind added up."""
    kinds: dict[tuple[str, Nature, str], list[Unread]] = {}
    for one in found:
        kinds.setdefault((one.what, one.nature, one.of), []).append(one)
    return tuple(
        Unread(what, sum(one.count for one in own), nature, tuple(islice(_texts(own), MOST_TEXTS)), of)
        for (what, nature, of), own in kinds.items()
    )


def _texts(found: Iterable[Unread]) -> Iterator[str]:
    return chain.from_iterable(one.texts for one in found)


def unread_lines(path: Path, encoding: str, skip: int, comment: str | None) -> list[Unread]:
    """The lines of a text that are left out before its header, or as comments; blank ones say nothing."""
    above: list[str] = []
    marked: list[str] = []
    comments = 0
    with path.open(encoding=encoding, errors="replace", newline="") as lines:
        above += [line for line in islice(lines, skip) if line.strip()]
        for line in lines if comment else ():
            if line.startswith(str(comment)):
                comments += 1
                marked += [line] if len(marked) < MOST_TEXTS else []
    return [
        *of_texts("line before the header", "written", above),
        *of_texts("comment line", "written", marked, comments),
    ]
