"""Linked tables built from records: categories, contributors and amounts, wherever the records are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import blake2b

import numpy as np

from divulge._support.small_counts import hidden_part
from divulge._support.threads import cached_property
from divulge._support.wording import in_words, some, value_label
from divulge.errors import EmptySource, PartitionError, SchemaError, TooMuch, UnknownAttribute
from divulge.questions.data import Data
from divulge.tabulation.layout.contributions import CellFacts, Entries, facts
from divulge.tabulation.layout.dimensions import MISSING, SUPPRESSED, Dimension
from divulge.tabulation.layout.joint_cells import (
    Determined,
    JointCells,
    determined_together,
    joint_cells,
    ring,
)
from divulge.tabulation.layout.linked import (
    Flags,
    Ints,
    LinkedTables,
    Numbers,
    SameRecords,
    TableLayout,
)
from divulge.tabulation.layout.nesting import same_records

MOST_CELLS = 2_000_000
MOST_AMOUNT = 1e200
_AND = "' and '"


@dataclass(frozen=True)
class TableSpec:
    """A table as it is asked for: its attributes, and whether it has margins."""

    name: str
    by: tuple[str, ...]
    margins: bool = True


@dataclass(frozen=True, eq=False)
class BuiltTables:
    """Linked tables with what their cells are made of; ``statistic`` says what is published of each."""

    tables: LinkedTables
    facts: CellFacts
    value: str | None
    statistic: str
    notes: tuple[str, ...] = ()
    entries: Entries | None = field(default=None, repr=False)  # where it was built from records
    related: tuple[SameRecords, ...] = ()
    together: tuple[Determined, ...] = ()

    @cached_property
    def ring(self) -> list[TableLayout]:
        """The tables that say more together than by the totals they share."""
        return ring(self.tables, self.related, self.together)

    def joint(self, zeros: str) -> JointCells | None:
        """The cells of those tables' attributes together; None where there are none, or too many."""
        if not self.ring:
            return None
        known = (self.facts.contributors == 0) & (zeros == "published") & (not self.facts.negative)
        return joint_cells(self.ring, known, self.related, self.together)

    @property
    def counts(self) -> bool:
        return self.statistic == "count"

    @property
    def weighted(self) -> bool:
        return self.entries is not None and bool((self.entries.weight != self.entries.records).any())

    @property
    def whole(self) -> bool:
        """Whether cells are whole numbers of people, which an attacker knows."""
        return self.counts and not self.weighted

    @property
    def additive(self) -> Numbers:
        """The numbers that add up: counts or sums. A mean is its sum over its number of records."""
        return self.facts.value

    def least(self, zeros: str) -> Numbers:
        """What anybody knows each cell to be at least, if it is suppressed.

        Where empty cells are published, nobody who is left out is none: a count is at least 1, and with
        weights the smallest of them up to 1. A sum that is not below 0 may be known not to be, even where
        other amounts are negative.
        """
        if not self.counts:
            return np.where(self.additive < 0, -np.inf, 0.0)
        one = 1.0 if self.entries is None else float(min(self.entries.weight.min(initial=1.0), 1.0))
        return np.where((self.facts.contributors > 0) & (zeros == "published"), one, 0.0)

    def published(self, additive: Numbers) -> Numbers:
        """What is published where cells add up to these numbers; not a number in an empty cell of means."""
        if self.statistic != "mean":
            return additive
        weight = self.denominator
        return np.divide(additive, weight, out=np.full(len(additive), np.nan), where=weight > 0)

    @property
    def denominator(self) -> Numbers:
        """What a mean divides by: the weight of each cell's records."""
        entries = self.entries
        assert entries is not None
        ones = np.ones(len(entries.amount))
        each = np.arange(len(ones))
        of_each = Entries(entries.categories, each, ones, entries.weight, entries.records, entries.people)
        return facts(self.tables, of_each).value


def built(
    data: Data,
    specs: Sequence[TableSpec],
    *,
    value: str | None = None,
    statistic: str = "count",
    contributor: str | None = None,
    levels: Mapping[str, int] | None = None,
    contents: bool = False,
) -> BuiltTables:
    """Tables of counts, sums or means of the records; ``levels`` are where hierarchies begin.

    With ``contents`` entries have a number for all that is in their record.
    A record without a value of the attribute that is added up is left out, and that is said.
    """
    attributes = tuple(dict.fromkeys(name for one in specs for name in one.by))
    named = [*attributes, *filter(None, (value, contributor))]
    for name in named:
        if name not in data.schema.attributes:
            raise UnknownAttribute(name, data.schema.attributes)
    if value in attributes:
        raise SchemaError(f"'{value}' is both a dimension and the value of the table.", hint="Leave one out.")
    rows = data.at_hand(tuple(dict.fromkeys([*named, *filter(None, [data.weights])])))
    if rows is None:
        raise TooMuch(
            "The records have too many different values to be added up here.",
            hint="Group the value, or build the table where the records are and read it with --published.",
        )
    amount, notes = _amounts(rows, value, attributes[0])
    kept = ~np.isnan(amount)
    if data.missing == "drop":
        for name in attributes:
            kept &= rows.column(name).codes != 0
    if not kept.any():
        raise EmptySource("No record has all of these attributes and a value.")
    dimensions, categories = {}, {}
    for name in attributes:
        dimension, codes = _dimension(rows, name, (levels or {}).get(name, 0), kept)
        dimensions[name], categories[name] = dimension, codes
    held = {name: codes[kept] for name, codes in categories.items()}
    by = [one.by for one in specs]
    entries = _entries(rows, contributor, categories, amount, kept)
    related = same_records(by, dimensions, held, entries.records)
    tables = _linked(specs, dimensions, related)
    notes += tuple(said for one in related for said in one.said)
    labels = {name: one.labels[: one.leaves] for name, one in dimensions.items()}
    together = determined_together(by, labels, held)
    notes += tuple(
        f"'{_AND.join(one.inner)}' together determine '{one.outer}'. An attacker is assumed to know how."
        for one in together
    )
    if contents:
        entries = replace(entries, content=_contents(rows)[kept])
    made = facts(tables, entries)
    if not made.gross.max(initial=0.0) < MOST_AMOUNT:
        raise SchemaError(f"'{value}' is too large to be added up.", hint="Give it in a larger unit.")
    return BuiltTables(tables, made, value, statistic, notes, entries, tuple(related), tuple(together))


def _entries(
    rows: Data, contributor: str | None, categories: Mapping[str, Ints], amount: Numbers, kept: Flags
) -> Entries:
    """Contributions of the rows that count; one that stands for many alike records stays one entry."""
    times = np.ones(len(amount), np.int64) if rows.times is None else np.asarray(rows.times, np.int64)
    weights = rows.record_weights()
    weight = (times if weights is None else weights * times).astype(np.float64)
    if contributor is None:
        who, people = np.arange(len(amount)), times
    else:
        who, people = rows.column(contributor).codes.astype(np.int64), np.ones(len(amount), np.int64)
        nameless = who == 0  # each of these is somebody of their own
        who[nameless] = who.max(initial=0) + 1 + np.arange(int(nameless.sum()))
    held = {name: codes[kept] for name, codes in categories.items()}
    named = contributor is not None
    return Entries(held, who[kept], amount[kept], weight[kept], times[kept], people[kept], named)


def _contents(rows: Data) -> Ints:
    """A number for what is in each row: alike rows have the same, in any order of rows and columns."""
    columns = {name: rows.column(name) for name in rows.schema.attributes}
    found = np.zeros(len(next(iter(columns.values())).codes), np.uint64)
    for name, column in columns.items():
        each = [
            blake2b(repr((name, str(column.value(code)))).encode(), digest_size=8).digest()
            for code in range(column.cardinality)
        ]
        found += np.frombuffer(b"".join(each), np.uint64)[column.codes]  # goes round, which is meant
    return found.view(np.int64)


def _amounts(rows: Data, value: str | None, dimension: str) -> tuple[Numbers, tuple[str, ...]]:
    """What each row contributes; not a number where it has no value. Texts are refused."""
    if value is None:
        return np.ones(len(rows.column(dimension).codes)), ()
    amount = rows.numbers(value)
    empty = rows.column(value).codes == 0
    times = np.ones(len(amount), np.int64) if rows.times is None else np.asarray(rows.times)
    text = int(times[np.isnan(amount) & ~empty].sum())
    if text:
        raise SchemaError(
            f"'{value}' is not a number in {some(text, 'record', of=rows.records)}.",
            hint="Name a numeric attribute, write decimals with a point, or say which texts mean missing: "
            "--missing-value.",
        )
    notes = []
    missing = int(times[empty].sum())
    if missing:
        said = in_words(hidden_part(missing, rows.records))
        notes.append(f"{said} records have no '{value}'. They are in no cell, and no rule counts them.")
    if (amount < 0).any():
        notes.append(
            f"Some contributions to '{value}' are negative. Dominance, p % and pq are read on absolute "
            "contributions. An attacker is assumed to know which cells are below 0."
        )
    return amount, tuple(notes)


def _dimension(rows: Data, name: str, level: int, kept: Flags) -> tuple[Dimension, Ints]:
    """The categories of an attribute that occur, in order, and which one each row has."""
    column = rows.column(name)
    used = np.unique(column.codes[kept]).astype(np.int64)
    hierarchy = rows.hierarchies.get(name)
    odd = {0: MISSING, rows.suppressed_code(name): SUPPRESSED}
    labels = [odd.get(code) or value_label(column.value(code)) for code in used.tolist()]
    if hierarchy is None:
        if level:
            raise PartitionError(f"'{name}' has no hierarchy, so it has no level {level}.")
        order = sorted(range(len(used)), key=lambda place: _sort_key(column.value(int(used[place]))))
        dimension = Dimension.flat(name, [labels[place] for place in order])
        finest = {labels[place]: labels[place] for place in order}
    else:
        if not 0 <= level < hierarchy.levels + 1:
            hierarchy.level(level)  # refuses it with the levels that there are
        listed = {label: place for place, label in enumerate(hierarchy.values)}
        order = sorted(range(len(used)), key=lambda place: listed.get(labels[place], len(listed)))
        dimension = Dimension.of_hierarchy(hierarchy, [labels[place] for place in order], level=level)
        groups = dict(zip(hierarchy.values, hierarchy.groups[level - 1], strict=True)) if level else {}
        finest = {label: groups.get(label, label) for label in labels}
    places = {label: place for place, label in enumerate(dimension.labels[: dimension.leaves])}
    table = np.zeros(column.cardinality, np.int64)
    for code, label in zip(used.tolist(), labels, strict=True):
        table[code] = places[finest[label]]
    return dimension, table[column.codes]


def _sort_key(value: object) -> tuple[int, float, str]:
    """Numbers by size, then texts by letters, missing last."""
    if value is None:
        return 2, 0.0, ""
    try:
        return 0, float(str(value)), str(value)
    except ValueError:
        return 1, 0.0, str(value)


def _linked(
    specs: Sequence[TableSpec], dimensions: Mapping[str, Dimension], related: Sequence[SameRecords]
) -> LinkedTables:
    asked = {}
    for one in specs:
        of = [dimensions[name] for name in one.by]
        if not one.margins:
            of = [Dimension.flat(d.attribute, d.labels[: d.leaves], total=None) for d in of]
        cells = int(np.prod([len(d) for d in of], dtype=np.float64))
        if cells > MOST_CELLS:
            raise TooMuch(
                f"The table '{one.name}' would have {cells:,} cells; at most {MOST_CELLS:,} are made.",
                hint="Take fewer attributes, or coarser levels of their hierarchies.",
            )
        asked[one.name] = of
    return LinkedTables.of(asked, related)
