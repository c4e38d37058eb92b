"""Documents, tables and charts as every page has them, and how targets are called."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from divulge.report.charts.theme import Spec

Document = Mapping[str, Any]


class TableColumn(NamedTuple):
    """A column's title and how its numbers are written: rate, share, count, bits, number, or text."""

    title: str
    kind: str = "text"


class ReportTable(NamedTuple):
    """A head and rows of plain values; None where there is no number."""

    head: tuple[TableColumn, ...]
    rows: list[list[Any]]


def table(head: Mapping[str, str], rows: Iterable[list[Any]]) -> ReportTable:
    """A table from the titles of its columns, each with the kind of its values, and its rows."""
    return ReportTable(tuple(TableColumn(*column) for column in head.items()), [*rows])


def finite(value: float | None) -> float | str:
    """A number of a document that may be infinite, which it holds as null."""
    return "infinite" if value is None else value


@dataclass(frozen=True)
class Chart:
    """A chart and what goes with it: a title, how to read it, and its numbers as a table."""

    name: str
    title: str
    reading: str
    spec: Callable[[Document], Spec | None]
    table: Callable[[Document], ReportTable]


def target_title(target: str) -> str:
    """A target in words: re-identification, or the inference of an attribute."""
    return "re-identification" if target == "@record" else f"inference of {target}"


def without_gaps(table: ReportTable) -> ReportTable:
    """The table without columns in which nothing stands."""
    kept = [
        place for place in range(len(table.head)) if any(row[place] not in (None, "") for row in table.rows)
    ]
    rows = [[row[place] for place in kept] for row in table.rows]
    return ReportTable(tuple(table.head[place] for place in kept), rows)


def named(title: str, found: Document) -> str:
    """A measure's title with the parameters it was read with, unless it says them itself.

    >>> named("t-closeness", {"parameters": {"ground": "ordered"}})
    't-closeness (ground ordered)'
    """
    parameters = ", ".join(
        f"{name} {value}" for name, value in (found["parameters"] or {}).items() if str(value) not in title
    )
    return f"{title} ({parameters})" if parameters else title
