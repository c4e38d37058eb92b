"""A guarded table: who its records are about, which of them meet a condition, and what they sum to.

Conditions are evaluated where the table is. Identifiers and columns that may be summed are read once, in the
order of the identifiers, so that a query set is an array of flags and its sum is exact.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from types import TracebackType
from typing import Any, Self

import numpy as np

from divulge.errors import MissingSource, SchemaError, SourceError, UnknownAttribute, counted
from divulge.queries.databases import MARK, ReadDatabase, a_view, open_database, table_name
from divulge.queries.dependence import Audit, as_numbers, audits_of
from divulge.queries.policy import QueryPolicy
from divulge.queries.query import Condition, Kind, bound, quoted

Flags = np.ndarray[Any, np.dtype[np.bool_]]
Whole = np.ndarray[Any, np.dtype[np.int64]]
Numbers = np.ndarray[Any, np.dtype[np.float64]]
_KINDS: tuple[tuple[Kind, str], ...] = (
    ("whole", r"U?(TINY|SMALL|BIG)INT|U?INTEGER"),
    ("number", r"FLOAT|DOUBLE|DOUBLE PRECISION|REAL|NUMERIC|DECIMAL.*"),
    ("text", r"VARCHAR|TEXT|CHARACTER|CHARACTER VARYING|ENUM.*"),
    ("date", r"DATE"),
    ("truth", r"BOOLEAN"),
)
FEWEST_VALUES = 100  # between the bounds of a column that is summed exactly


class TableChanged(SourceError):
    """The table is no longer the one that earlier answers were about."""


@dataclass(frozen=True)
class SummedColumn:
    """A column's values in the order of records: whole numbers of ``unit``, or floats where that is None."""

    values: np.ndarray[Any, Any]
    present: Flags
    unit: Fraction | None

    def total(self, members: Flags) -> Fraction:
        """The sum over some records that have a value: exact, or for floats rounded once."""
        chosen = self.values[members & self.present]
        if self.unit is None:
            return Fraction(math.fsum(chosen))
        if len(chosen) and int(np.abs(chosen).max()) * len(chosen) >= 2**62:
            return sum(map(int, chosen)) * self.unit
        return int(chosen.sum()) * self.unit

    def step(self) -> Fraction | None:
        """What values are multiples of, as their type or the values themselves have it; None for floats."""
        whole = 1 if self.unit is None else self.unit.denominator
        with np.errstate(invalid="ignore"):  # of infinities
            return Fraction(1) if not np.any(self.values % whole) else self.unit


class GuardedTable:
    """A table that is opened to read only; a context manager that closes it."""

    def __init__(self, policy: QueryPolicy, database: ReadDatabase) -> None:
        self._policy, self._database = policy, database
        self._name = table_name(policy.table.name)
        self._described()  # what is missing is said before anything else
        self._version = database.version(self._name)
        self.kinds = self._described()
        self.fingerprint, self._meaning = self._fingerprint(), self._meant(self.kinds)
        self._ids, order = self._identifiers()
        self.records = len(self._ids)
        self.persons = self._persons(order)
        self.people = self.records if self.persons is None else int(self.persons.max()) + 1
        self.sums = {name: self._summed(name, order) for name in policy.summed}
        self.audits = self._audits(order)
        if self.check_unchanged():
            raise self.written_to()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connection."""
        self._database.close()

    def check_unchanged(self) -> bool:
        """Refuse a table that has changed since it was opened.

        Whether anything was written at all since this was last asked: then the table may have been another
        for a while, and what was read of it meanwhile does not count.
        """
        try:
            version = self._database.version(self._name)
            if version == self._version:
                return False
            same = self._fingerprint() == self.fingerprint and self._meant(self._described()) == self._meaning
        except (SchemaError, UnknownAttribute):  # a view, or values of another kind
            same = False
        if not same:
            raise TableChanged(
                f"The table {self._policy.table.name} has changed since it was opened.",
                hint="Earlier answers are about the table as it was: begin a new log for the new table.",
            )
        self._version = version
        return True

    @property
    def known_as(self) -> str:
        """By what the table is known again: what is in it, and what its columns mean."""
        return f"{self.fingerprint}.{self._meaning}"

    def is_known_as(self, known: str) -> bool:
        """Whether this is the table; the first version noted only what is in it."""
        content, _, meaning = known.partition(".")
        return content == self.fingerprint and meaning in ("", self._meaning)

    def written_to(self) -> SourceError:
        """The error for a table that cannot be read as it was at one moment."""
        return SourceError(
            f"The table {self._policy.table.name} is written to while it is read.",
            hint="Try again later, or guard a copy that nobody writes to.",
        )

    def members(self, condition: Condition | None) -> Flags:
        """Which records meet a condition, in their order."""
        if condition is None:
            return np.ones(self.records, np.bool_)
        where, values = bound(condition, MARK)
        sql = f"SELECT {self._identifier()} FROM {self._name} WHERE {where}"
        (found,) = self._database.columns(sql, values)
        members = np.zeros(self.records, np.bool_)
        found = found.astype(self._ids.dtype, copy=False)
        places = np.searchsorted(self._ids, found)
        if len(found) and (int(places.max()) >= self.records or not np.array_equal(self._ids[places], found)):
            raise TableChanged(
                f"The table {self._policy.table.name} has records that it did not have when it was opened.",
                hint="Earlier answers are about the table as it was: begin a new log for the new table.",
            )
        members[places] = True
        return members

    def people_in(self, members: Flags) -> int:
        """How many people records are about."""
        if self.persons is None:
            return int(np.count_nonzero(members))
        return int(np.count_nonzero(np.bincount(self.persons[members], minlength=self.people)))

    def _identifier(self) -> str:
        name = quoted(self._policy.table.record)
        return name if self.kinds[self._policy.table.record] == "whole" else f"CAST({name} AS VARCHAR)"

    def _described(self) -> dict[str, Kind]:
        """The kind of each column that the policy names."""
        *schema, table = self._policy.table.name.split(".", 1)
        facts = "column_name, data_type, numeric_precision, numeric_scale"
        where = f"table_name = {MARK} AND table_schema = {MARK if schema else 'current_schema()'}"
        sql = f"SELECT {facts} FROM information_schema.columns WHERE {where}"
        names, types, *digits = self._database.columns(sql, [table, *schema])
        if not len(names):
            raise MissingSource(
                f"No table '{self._policy.table.name}' in the database.",
                hint="Check name in [table] of the policy; write schema.table for another schema.",
            )
        (shapes,) = self._database.columns(
            f"SELECT table_type FROM information_schema.tables WHERE {where}", [table, *schema]
        )
        if "VIEW" in shapes:
            raise a_view(self._policy.table.name)
        there = dict(zip(map(str, names), map(str, types), strict=True))
        self._types = there
        self._digits = dict(zip(there, zip(*digits, strict=True), strict=True))
        kinds: dict[str, Kind] = {}
        rule = self._policy.table
        for name in filter(None, (rule.record, rule.person, *self._policy.columns)):
            if name not in there:
                raise UnknownAttribute(name, sorted(there), f"the table {rule.name}")
            kind = next((kind for kind, shape in _KINDS if re.fullmatch(shape, there[name].upper())), None)
            if kind is None:
                raise SchemaError(
                    f"The column '{name}' has values of type {there[name][:40]}, which are not guarded.",
                    hint="Guard whole numbers, numbers, texts, dates and truth values.",
                )
            if name in self._policy.summed and kind not in ("whole", "number"):
                raise SchemaError(
                    f"The column '{name}' has bounds in the policy, and its values are no numbers."
                )
            kinds[name] = kind
        self._refuse_long_decimals()
        return kinds

    def _refuse_long_decimals(self) -> None:
        """Refuse conditions that would fail for some values, since an error would tell of them."""
        longest = self._database.longest_decimal
        for name in self._policy.conditions:
            digits = self._digits[name][0] if self._is_decimal(name) else 0
            if longest is not None and digits > longest:
                raise SchemaError(
                    f"The column '{name}' is in conditions, and its decimals have {int(digits)} digits.",
                    hint=f"Conditions are on decimals of at most {longest} digits: make the column narrower.",
                )

    def _meant(self, kinds: Mapping[str, Kind]) -> str:
        """What else decides who meets a condition: kinds of values, and how texts are compared."""
        rules = self._database.collations(self._policy.table.name)
        said = [[name, kind, self._is_decimal(name), rules.get(name)] for name, kind in kinds.items()]
        return hashlib.sha256(json.dumps(said).encode()).hexdigest()

    def _fingerprint(self) -> str:
        rule = self._policy.table
        names = [name for name in (rule.record, rule.person, *self._policy.columns) if name is not None]
        parts = (f"CAST({quoted(name)} AS VARCHAR)" for name in names)
        row = " || ".join(f"COALESCE(LENGTH({part}) || ':' || {part}, '-')" for part in parts)
        sql = f"SELECT COUNT(*), CAST(SUM({self._database.digest(row)}) AS VARCHAR) FROM {self._name}"
        number, total = self._database.columns(sql)
        said = "\n".join((*names, str(number[0]), str(total[0])))
        return hashlib.sha256(said.encode()).hexdigest()

    def _read(self, sql: str) -> Any:
        """A column in an order that is the same each time: a collation may take two texts for equal."""
        exact = "" if self.kinds[self._policy.table.record] == "whole" else ' COLLATE "C"'
        order = f"{self._identifier()}{exact}"
        return self._database.columns(f"SELECT {sql} FROM {self._name} ORDER BY {order}")[0]

    def _identifiers(self) -> tuple[Any, Whole]:
        """The identifiers in their order, and where in the database's order each is."""
        name = self._policy.table.record
        found = self._read(self._identifier())
        if len(found) == 0:
            raise SourceError(f"The table {self._policy.table.name} has no records.")
        if found.dtype == object and any(one is None for one in found):
            raise SchemaError(
                f"The column '{name}' is missing in some records, so it identifies none of them."
            )
        whole = np.uint64 if found.dtype == np.uint64 else np.int64
        ids = found.astype(whole if self.kinds[name] == "whole" else str)
        order = np.argsort(ids, kind="stable")  # a database may sort texts in another order
        ids = ids[order]
        twice = int(np.count_nonzero(ids[1:] == ids[:-1]))
        if twice:
            raise SchemaError(
                f"The column '{name}' has {counted(twice, 'value')} twice: it identifies no record.",
                hint="Name a column that is different in every record.",
            )
        return ids, order

    def _persons(self, order: Whole) -> Whole | None:
        name = self._policy.table.person
        if name is None:
            return None
        found = self._read(f"CAST({quoted(name)} AS VARCHAR)")
        if any(one is None for one in found):
            raise SchemaError(
                f"The column '{name}' is missing in some records: whom they are about is not known."
            )
        return np.unique(found.astype(str), return_inverse=True)[1][order]

    def _summed(self, name: str, order: Whole) -> SummedColumn:
        rule, column = self._policy.columns[name], quoted(name)
        assert rule.bounds is not None
        unit = self._unit(name)
        if unit is None:
            found = self._read(f"CAST({column} AS DOUBLE PRECISION)")[order]
        elif self.kinds[name] == "whole":
            found = self._read(column)[order]
        else:
            self._refuse_no_numbers(name)
            wide = f"CAST({column} AS DECIMAL(38, {len(str(unit.denominator)) - 1}))"
            found = self._read(f"CAST({wide} * {unit.denominator} AS BIGINT)")[order]
        present = np.asarray(self._read(f"{column} IS NOT NULL")[order], np.bool_)
        values = np.where(present, found, 0)
        if unit is not None and values.dtype in (
            np.uint64,
            object,
        ):  # some may be beyond all bounds, and beyond int64
            values = np.minimum(values, 2**63 - 1)
        values = values.astype(np.float64 if unit is None else np.int64)
        low, high = (float(end if unit is None else Fraction(end) / unit) for end in rule.bounds)
        outside = int(np.count_nonzero(present & ~((values >= low) & (values <= high))))
        if outside and self._policy.answers.kind != "differential privacy":
            raise SchemaError(
                f"{counted(outside, 'value')} of '{name}' are outside of its bounds in the policy.",
                hint="Bounds are a promise: widen them.",
            )
        summed = SummedColumn(values, present, unit)
        self._refuse_few_values(name, summed)
        return summed

    def _audits(self, order: Whole) -> list[Audit]:
        """What is audited together; a margin is about one column."""
        rule = self._policy.controls.differencing
        if rule is None or len(self.sums) < 2:
            return [Audit.alone(name) for name in self.sums]
        known = [column for name in self._policy.conditions for column in self._known(name, order)]
        found = audits_of(self.sums, known)
        together = next((audit.named for audit in found if len(audit.columns) > 1), None)
        if rule.margin and together:
            raise SchemaError(
                f"{together} determine each other, and a margin is about one column.",
                hint="Leave out the bounds of all but one, or write differencing = true without a margin.",
            )
        return found

    def _known(self, name: str, order: Whole) -> list[Numbers]:
        number = self.kinds[name] in ("whole", "number")
        read = self._read(f"CAST({quoted(name)} AS {'DOUBLE PRECISION' if number else 'VARCHAR'})")
        return as_numbers(read[order], number)

    def _refuse_no_numbers(self, name: str) -> None:
        """Refuse NUMERIC values that are NaN, which no whole number stands for."""
        sql = f"SELECT COUNT(*) FROM {self._name} WHERE CAST({quoted(name)} AS VARCHAR) = 'NaN'"
        number = int(self._database.columns(sql)[0][0])
        if number:
            raise SchemaError(
                f"The column '{name}' is NaN in {counted(number, 'record')}, and NaN cannot be summed.",
                hint="Make these values missing.",
            )

    def _refuse_few_values(self, name: str, column: SummedColumn) -> None:
        """Refuse answers about values that are known to be among few.

        Equations that leave real numbers free have few solutions, or one, in whole numbers; and an interval
        may have a single one.
        """
        rule, step, kind = self._policy.columns[name], column.step(), self._policy.answers.kind
        assert rule.bounds is not None
        if step is None:
            return
        low, high = (Fraction(end) / step for end in rule.bounds)
        width = Fraction(rule.camouflage or 0) / step
        if kind == "camouflage" and width < 2 and 2 * width <= high - low:  # and more than one interval
            raise SchemaError(
                f"Intervals of {rule.camouflage} may have a single value of '{name}', and hide nothing then.",
                hint=f"Write camouflage = {float(min(Fraction(2), high - low) * step):g} or more.",
            )
        number = math.floor(high) - math.ceil(low) + 1
        if kind == "exact" and number < FEWEST_VALUES:
            raise SchemaError(
                f"Exact sums of '{name}' are not answered: its bounds leave {counted(number, 'value')}, and "
                f"with fewer than {FEWEST_VALUES} a few sums give one person's value away.",
                hint='Write kind = "camouflage" or kind = "differential privacy" in [answers].',
            )

    def _unit(self, name: str) -> Fraction | None:
        """What values are whole numbers of; None for floats, and for decimals too long to be exact."""
        if self.kinds[name] == "whole":
            return Fraction(1)
        precision, scale = self._digits[name]
        exact = self._is_decimal(name) and precision and precision <= 18
        return Fraction(1, 10 ** int(scale)) if exact else None

    def _is_decimal(self, name: str) -> bool:
        return self._types[name].upper().startswith(("DECIMAL", "NUMERIC"))


def open_table(policy: QueryPolicy, source: str | None = None) -> GuardedTable:
    """The table of a policy, to read only; ``source`` is where it is if the policy does not say."""
    where = source or policy.table.source
    if where is None:
        raise SourceError(
            "The policy does not say where the table is.", hint='Write source = "clinic.duckdb" in [table].'
        )
    if "://" not in where:
        where = str(policy.folder / where) if source is None else where
    database = open_database(where, policy.table.timeout)
    try:
        return GuardedTable(policy, database)
    except BaseException:
        database.close()
        raise
