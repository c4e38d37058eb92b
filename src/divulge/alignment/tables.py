"""Which columns and which rows of an original and a released table are the same."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from divulge._support.notebook import table_view
from divulge._support.small_counts import hidden
from divulge._support.wording import in_words, many, percent, records, share_in_percent
from divulge.alignment.elsewhere import NO_ORDER, NOT_JOINED, BroughtOverTables, brought_over, stays
from divulge.alignment.row_order import RowOrder, row_order
from divulge.errors import SchemaError, UnknownAttribute, listed_attributes, listing
from divulge.questions.data import Data
from divulge.source.origin import rows_of
from divulge.table.codes import MISSING, Codes
from divulge.table.packing import coded, distinct, packed, ranked
from divulge.table.schema import Schema, names

IntArray = npt.NDArray[np.int64]
NOT_BY_RECORD = "not record by record"
BY_ORDER = "by order"
BY_RECIPE = "as the recipe was applied"
BY_KEY = "by the key of the release"
NO_WEIGHTS = "The release does not have the weights"
NOBODY = "no value of it is in both tables"


@dataclass(frozen=True, eq=False)
class Alignment:
    """An original and a release of it: counterparts among columns, the same people among rows.

    Roles and weights are the original's; an attribute of the release has the role of its counterpart.
    Attributes by which records are matched are identifiers and not among the columns.
    """

    original: Data
    released: Data
    columns: Mapping[str, str]  # attribute of the original -> its counterpart in the release
    rows: tuple[IntArray, IntArray] | None  # the same people in both; None where records cannot be aligned
    how: str
    notes: tuple[str, ...]
    by: tuple[str, ...] = ()  # attributes named to match records
    order: RowOrder | None = None  # how well the rows fit in their order, where that was to align them
    times: IntArray | None = None  # people who have each of the rows, where a row is a combination of values

    def __repr__(self) -> str:
        return f"Alignment({self.how}: {records(self.aligned)}, {len(self.columns)} columns)"

    def _repr_html_(self) -> str:
        note = " ".join([f"{self.how}: {records(self.aligned)}.", *self.notes])
        return table_view("Alignment", ["original", "release"], self.columns.items(), note)

    @property
    def identified(self) -> bool:
        """Whether identifiers say which records are the same; the order of rows only suggests it."""
        return self.rows is not None and self.how != BY_ORDER

    @property
    def refused(self) -> str | None:
        """What to say at once where rows could not be taken to be in the same order."""
        if self.rows is not None or self.order is None:
            return None
        return out_of_order(self.order)

    @property
    def few_matched(self) -> str | None:
        """That most released records have no counterpart among the originals, in words; None where not so."""
        if self.rows is None or 2 * self.aligned >= self.released.records:
            return None
        matched = in_words(hidden(self.aligned))
        return f"{self.how}, {matched} of {many(self.released.records)} released records could be matched"

    @property
    def nobody_matched(self) -> str | None:
        """That the attributes named to match records have no value in common, in words; None where not so."""
        if not self.by or not any(note.endswith(f"{NOBODY}.") for note in self.notes):
            return None
        return f"by {listing(self.by)}, no released record is one of the original"

    @property
    def aligned(self) -> int:
        """How many records stand in both tables, as far as can be told."""
        if self.times is not None:
            return int(self.times.sum())
        return 0 if self.rows is None else len(self.rows[0])

    def pair(self, attribute: str) -> tuple[Codes, Codes]:
        """The aligned records' codes of an attribute and of its counterpart."""
        self.original.schema.check([attribute])
        if self.rows is None:
            raise SchemaError(
                f"'{attribute}' cannot be compared record by record: the rows are not aligned.",
                hint="Name an identifier that both tables have (--by).",
            )
        if attribute not in self.columns:
            raise SchemaError(
                f"'{attribute}' has no counterpart in the release.", hint="Name it in a mapping of columns."
            )
        ours, theirs = self.rows
        released = self.released.column(self.columns[attribute])
        return self.original.column(attribute).take(ours), released.take(theirs)


def align(
    original: Data,
    released: Data,
    *,
    by: str | Sequence[str] = (),
    columns: Mapping[str, str] | None = None,
    same_order: bool = False,
    only: Sequence[str] = (),
) -> Alignment:
    """Find the counterpart of each attribute and, as far as possible, of each record.

    ``columns`` names counterparts; other attributes go by equal names, then by names that are equal but for
    case, surrounding spaces and trailing stars. Rows go by the identifiers ``by`` (unless given, those of
    the original that the release still has). Otherwise they go by order, where both have as many records and
    the values fit that: nearer to the best matching of values than to a shuffle. ``same_order`` says that
    they are in the same order whatever their values. Of tables that stay where they are, ``only`` some
    attributes may come over. Notes say what was taken for granted and what could not be aligned.

    >>> from divulge import read
    >>> align(read({"Age": [22, 35]}), read({"Age*": ["2*", "3*"]}))
    Alignment(by order: fewer than 5 records, 1 columns)
    """
    return align_tables(original, released, names(by), columns or {}, only, same_order=same_order)


def align_tables(
    original: Data,
    released: Data,
    asked: tuple[str, ...],
    columns: Mapping[str, str],
    only: Sequence[str],
    *,
    same_order: bool = False,
    combined: bool = False,
) -> Alignment:
    """The same; with ``combined`` tables that stay come with a row for each combination of values."""
    original.schema.check(asked)
    original = set_apart(original, asked)
    matched, notes = counterparts(original.schema.attributes, released.schema.attributes, columns)
    released = released.with_roles(_roles(original.schema, released.schema, matched))
    if (weights := original.sample_weights) in matched:
        released = replace(released, weights=matched[weights])
    elif weights is not None and released.sample_weights is None:
        notes.append(f"{NO_WEIGHTS} {weights}: each of its records counts once.")
    by = asked or [name for name in original.schema.identifiers if name in matched]
    there = brought_over(original, released, by, matched, only, combined=combined)
    if there is not None:
        original, released = there.original, there.released
        (rows, how, said), order = _rows_there(there, by, matched), None
    else:
        rows, how, order, said = _rows(original, released, matched, asked, same_order)
    analysed = {*original.schema.quasi_identifiers, *original.schema.sensitive}
    data = {here: there for here, there in matched.items() if here not in asked or here in analysed}
    times = None if there is None or rows is None else there.times
    return Alignment(original, released, data, rows, how, (*notes, *said), asked, order, times)


def set_apart(original: Data, by: Sequence[str]) -> Data:
    """The original with the attributes that say whose record it is as identifiers, whatever their role was.

    Those that repeat say no such thing, and keep their role: an attacker who knows them is not forgotten.
    """
    schema = original.schema
    roles = {*schema.quasi_identifiers, *schema.sensitive}
    if not roles & set(by) or _repeats(original, by):
        return original
    return original.with_roles(
        Schema(
            schema.attributes,
            (*schema.identifiers, *(name for name in by if name not in schema.identifiers)),
            tuple(name for name in schema.quasi_identifiers if name not in by),
            tuple(name for name in schema.sensitive if name not in by),
        )
    )


def _repeats(data: Data, by: Sequence[str]) -> bool:
    if stays(data):
        return data.distinct(by) < data.records
    return distinct(coded(data.column(name) for name in by), data.records) < data.records


# -- columns ---------------------------------------------------------------------------------------


def counterparts(
    ours: Sequence[str], theirs: Sequence[str], given: Mapping[str, str]
) -> tuple[dict[str, str], list[str]]:
    """The counterpart of each attribute that has one, and what is to be said about it."""
    _check_mapping(ours, theirs, given)
    matched = dict(given)
    matched |= {name: name for name in ours if name in _left(theirs, matched) and name not in matched}
    left = _left(theirs, matched)
    alike, notes = [], []
    for name in [name for name in ours if name not in matched]:
        near = [other for other in left if _folded(other) == _folded(name)]
        rivals = [other for other in ours if other not in given and _folded(other) == _folded(name)]
        if len(near) == 1 and rivals == [name]:
            matched[name] = near[0]
            alike.append(f"'{name}' and '{near[0]}'")
        elif near:
            notes.append(
                f"'{name}' may be {listing(near)} in the release; use a mapping of columns to say which."
            )
    if alike:
        notes.insert(0, f"Treated as the same attribute though spelled differently: {listing(alike)}.")
    lost = [name for name in ours if name not in matched]
    if lost:
        notes.append(f"Without a counterpart in the release: {listed_attributes(lost)}.")
    extra = _left(theirs, matched)
    if extra:
        notes.append(f"In the release only: {listed_attributes(extra)}.")
    return {name: matched[name] for name in ours if name in matched}, notes


def _check_mapping(ours: Sequence[str], theirs: Sequence[str], given: Mapping[str, str]) -> None:
    for name, other in given.items():
        if name not in ours:
            raise UnknownAttribute(name, ours, "the original")
        if other not in theirs:
            raise UnknownAttribute(other, theirs, "the release")
    counterparts = list(given.values())
    twice = sorted({other for other in counterparts if counterparts.count(other) > 1})
    if twice:
        raise SchemaError(
            f"{listing(twice)} is the counterpart of more than one attribute.",
            hint="Map each attribute of the release to one of the original.",
        )


def _left(theirs: Sequence[str], matched: Mapping[str, str]) -> list[str]:
    taken = set(matched.values())
    return [name for name in theirs if name not in taken]


def _folded(name: str) -> str:
    return name.strip().rstrip("*").strip().casefold()


def _roles(ours: Schema, theirs: Schema, matched: Mapping[str, str]) -> Schema:
    """The roles of the release: those of counterparts, and its own where there is none."""
    counterparts = set(matched.values())

    def role(named: Sequence[str], own: Sequence[str]) -> tuple[str, ...]:
        return (
            *(matched[name] for name in named if name in matched),
            *(name for name in own if name not in counterparts),
        )

    return Schema(
        theirs.attributes,
        role(ours.identifiers, theirs.identifiers),
        role(ours.quasi_identifiers, theirs.quasi_identifiers),
        role(ours.sensitive, theirs.sensitive),
    )


# -- rows ------------------------------------------------------------------------------------------

Rows = tuple[IntArray, IntArray]


def _rows(
    original: Data, released: Data, columns: Mapping[str, str], asked: Sequence[str], same_order: bool
) -> tuple[Rows | None, str, RowOrder | None, list[str]]:
    made_from = rows_of(released.source)
    if made_from is not None and not asked:
        sorted_by_original = np.argsort(made_from, kind="stable").astype(np.int64)
        return (made_from[sorted_by_original], sorted_by_original), BY_RECIPE, None, []
    by = asked or [name for name in original.schema.identifiers if name in columns]
    notes = []
    if by:
        rows, said = _by_identifier(original, released, columns, by)
        if rows is not None:
            return rows, f"by {listing(by)}", None, said
        notes += said
        if asked:
            return None, NOT_BY_RECORD, None, notes
    if original.records != released.records:
        notes.append(
            f"Rows cannot be aligned: the original has {many(original.records)} records, the release "
            f"{many(released.records)}. To align them, name an identifier that both have (--by)."
        )
        return None, NOT_BY_RECORD, None, notes
    order = row_order(original, released, columns)
    if not (order.supported or same_order):
        return None, NOT_BY_RECORD, order, [*notes, out_of_order(order)]
    reason = _fits(order) if order.supported else "same_order was given"
    notes.append(
        f"Rows are matched by their order: both tables have {many(original.records)} records, and {reason}."
    )
    rows_in_order = np.arange(original.records)
    return (rows_in_order, rows_in_order), BY_ORDER, order, notes


def _rows_there(
    tables: BroughtOverTables, by: Sequence[str], columns: Mapping[str, str]
) -> tuple[Rows | None, str, list[str]]:
    """The same of tables that were joined where they are, or counted each by itself."""
    gone = [name for name in by if name not in columns]
    if gone:
        return None, NOT_BY_RECORD, [_gone(by, gone)]
    if not by:
        return None, NOT_BY_RECORD, [NO_ORDER]
    for repeats, table in zip(tables.repeats, ("original", "release"), strict=True):
        if repeats:
            return None, NOT_BY_RECORD, [_repeated(by, table, repeats)]
    if tables.rows is None:
        return None, NOT_BY_RECORD, [NOT_JOINED]
    matched = len(tables.rows[0]) if tables.times is None else int(tables.times.sum())
    if not matched:
        return None, NOT_BY_RECORD, [_nobody(by)]
    said = _some_match(by, matched, tables.original.records, tables.released.records)
    return tables.rows, f"by {listing(by)}", said


def out_of_order(order: RowOrder) -> str:
    """Why rows are not taken to be in the same order, and what would align them."""
    return (
        f"Rows are not matched by their order: {_fits(order)}. The tables are compared as sets of records. "
        "To match records, name an identifier that both tables have (--by)."
    )


def _fits(order: RowOrder) -> str:
    if not order.columns:
        return "no value contradicts it"
    found, best = (share_in_percent(one, order.rows) for one in (order.in_order, order.best))
    return (
        f"{found} of the values fit row by row ({percent(order.shuffled)} in a random order, {best} at best)"
    )


def _by_identifier(
    original: Data, released: Data, columns: Mapping[str, str], by: Sequence[str]
) -> tuple[Rows | None, list[str]]:
    """The rows that have the same identifier, or why there are none."""
    gone = [name for name in by if name not in columns]
    if gone:
        return None, [_gone(by, gone)]
    pairs = [(original.column(name), _translated(released, columns[name], original, name)) for name in by]
    joined = ((np.concatenate([one.codes, other]), one.cardinality + 1) for one, other in pairs)
    word = packed(joined, original.records + released.records)
    # A value that the original does not have is nobody's, so it says nothing about repeats.
    mine = np.flatnonzero(np.logical_and.reduce([one.codes != MISSING for one, _ in pairs]))
    yours = np.flatnonzero(
        np.logical_and.reduce([(other != MISSING) & (other != one.cardinality) for one, other in pairs])
    )
    own, other = word[: original.records][mine], word[original.records :][yours]
    for found, table in ((own, "original"), (other, "release")):
        repeats = len(found) - ranked(found)[1]
        if repeats:
            return None, [_repeated(by, table, repeats)]
    _, first, second = np.intersect1d(own, other, assume_unique=True, return_indices=True)
    if not len(first):
        return None, [_nobody(by)]
    order = np.argsort(first)
    rows = mine[first[order]], yours[second[order]]
    return rows, _some_match(by, len(first), original.records, released.records)


def _gone(by: Sequence[str], gone: Sequence[str]) -> str:
    return f"Rows cannot be aligned by {listing(by)}: the release has no {listing(gone)}."


def _repeated(by: Sequence[str], table: str, repeats: int) -> str:
    return f"Rows cannot be aligned by {listing(by)}: in the {table} it repeats on {records(repeats)}."


def _nobody(by: Sequence[str]) -> str:
    return f"Rows cannot be aligned by {listing(by)}: {NOBODY}."


def _some_match(by: Sequence[str], matched: int, ours: int, theirs: int) -> list[str]:
    """How many records have a counterpart, where not all have."""
    if matched == ours == theirs:
        return []
    said = in_words(hidden(matched, of=ours if ours == theirs else None))
    return [
        f"By {listing(by)}, {said} records match, of {many(ours)} in the original and {many(theirs)} in the "
        "release."
    ]


def _translated(released: Data, name: str, original: Data, ours: str) -> IntArray:
    """The released column in the codes of the original; one past them all where it has no such value."""
    column, known = released.column(name), original.column(ours)
    places = {str(value): code for code, value in enumerate(known.values, 1)}
    table = np.fromiter(
        (MISSING, *(places.get(str(value), known.cardinality) for value in column.values)), np.int64
    )
    return table[column.codes]
