"""Releases beside each other: a row for what is read, a column for each, and words for what changed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from itertools import groupby
from math import ceil
from operator import attrgetter
from typing import Any, NamedTuple

from divulge.report.charts.theme import labels
from divulge.report.shared.formats import NOTHING, bound, cell, listing
from divulge.report.shared.tables import Document

ORIGINAL = "original"


#: One of what belongs together across releases, and it in each of them.
Match = tuple[Document, list[Document | None]]


class ShownCell(NamedTuple):
    """A number as it is written, and what it says beside another: a sign and words; the tone repeats them.

    The note stands under it, and the reason why there is no number under the table.
    """

    text: str
    sign: str = ""
    word: str = ""
    tone: str = ""
    note: str = ""
    reason: str = ""


class ShownRow(NamedTuple):
    """What is read, in words; its cells in the order of the columns; the heading that it stands under.

    What is short stands for the label where a line has 80 signs.
    """

    label: str
    cells: list[ShownCell]
    note: str = ""
    group: str = ""
    short: str = ""


@dataclass(frozen=True)
class SideBySide:
    """Rows over the same columns, the first of which may be the original and is then in every part."""

    corner: str
    columns: tuple[str, ...]
    rows: list[ShownRow]
    about: Mapping[str, str] = field(default_factory=dict)  # what stands beside a heading
    left_out: int = 0

    @property
    def groups(self) -> list[tuple[str, list[ShownRow]]]:
        """The rows under their headings."""
        return [(title, list(rows)) for title, rows in groupby(self.rows, key=attrgetter("group"))]

    @property
    def reasons(self) -> list[tuple[str, str]]:
        """Why cells have no number or no comparison, each reason once, with the columns that it is about."""
        found: dict[tuple[str, str], set[str]] = defaultdict(set)
        for row in self.rows:
            for name, one in zip(self.columns, row.cells, strict=True):
                if one.reason:
                    found[one.word, one.reason].add(name)
        return [
            (f"{listing([name for name in self.columns if name in about])} {word}", reason)
            for (word, reason), about in found.items()
        ]

    def parts(self, columns: int) -> list[SideBySide]:
        """The table cut into some with so many releases each at most, so that they fit on paper."""
        fixed = int(self.columns[:1] == (ORIGINAL,))
        releases = max(len(self.columns) - fixed, 1)
        columns = ceil(releases / ceil(releases / columns))  # as many in each
        places = [
            [*range(fixed), *range(start, min(start + columns, len(self.columns)))]
            for start in range(fixed, len(self.columns), columns)
        ]
        return [
            replace(
                self,
                columns=tuple(self.columns[place] for place in chosen),
                rows=[row._replace(cells=[row.cells[place] for place in chosen]) for row in self.rows],
            )
            for chosen in (places if self.rows else [])
        ]

    def first(self, most: int) -> SideBySide:
        """As many rows as there is room for, and how many there are besides."""
        return replace(self, rows=self.rows[:most], left_out=max(0, len(self.rows) - most))


def names(document: Document) -> tuple[str, ...]:
    """The releases as they are called, told apart where files have the same name."""
    found = [ORIGINAL]
    for release in document["releases"]:
        name = release["name"]
        again = 2
        while name in found:
            name, again = f"{release['name']} ({again})", again + 1
        found.append(name)
    return tuple(found[1:])


def named(document: Document) -> list[tuple[str, Document]]:
    """Every release with its name."""
    return list(zip(names(document), document["releases"], strict=True))


def first_releases(document: Document, most: int) -> Document:
    """The document with so many releases at most, the recommended one among them."""
    kept, others = document["releases"][:most], document["releases"][most:]
    chosen = [release for release in others if release["name"] == document["recommendation"]["release"]]
    return {**document, "releases": [*kept[:-1], chosen[0]] if chosen else kept}


def short_names(document: Document) -> dict[str, str]:
    """The releases as charts call them, all different."""
    return labels(names(document))


def matched(lists: Iterable[Iterable[Document]], key: Callable[[Document], Hashable]) -> list[Match]:
    """What belongs together across releases, None where a release lacks it."""
    lists = list(lists)
    found: dict[Hashable, list[Document | None]] = {}
    for place, items in enumerate(lists):
        seen: dict[Hashable, int] = defaultdict(int)
        for item in items:
            name = key(item)
            seen[name] += 1  # two of one name are two rows
            found.setdefault((name, seen[name]), [None] * len(lists))[place] = item
    return [(next(item for item in items if item), items) for items in found.values()]


def value_of(item: Document | None, name: str) -> Any:
    """What an item says under a name, None where a release lacks the item."""
    return None if item is None else item[name]


def changed(
    before: float | str | None, after: float | str | None, kind: str, *, larger_is_better: bool
) -> ShownCell:
    """A reading of a release beside the original: an arrow for where it went, a word for whether it is good.

    Same is what is written the same.

    >>> changed(1, 5, "count", larger_is_better=True)
    ShownCell(text='5', sign='↑', word='better', tone='pass', note='', reason='')
    >>> changed(0.5, 0.50001, "rate", larger_is_better=False).word
    'same'
    """
    text = cell(after, kind)
    if after is None:
        return ShownCell(text, word="no value")
    if before is None:
        return ShownCell(text)
    if text == cell(before, kind):
        return ShownCell(text, "=", "same")
    more = bound(after) > bound(before)
    better = more == larger_is_better
    return ShownCell(text, "↑" if more else "↓", *(("better", "pass") if better else ("worse", "fail")))


def better(larger: bool) -> str:
    """Which way is better, in words."""
    return f"{'larger' if larger else 'smaller'} is better"


def missing(reason: str | None) -> ShownCell:
    """A cell for what could not be measured."""
    return ShownCell(NOTHING, word="not measured", reason=reason or "")
