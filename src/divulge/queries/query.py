"""A query as a type: one aggregate over the records that meet a condition, and its canonical text.

What is executed is rendered from here with bound parameters, never from what was typed. Conditions follow
SQL: a comparison with a missing value is not met, and neither is its opposite.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Literal

Kind = Literal["whole", "number", "text", "date", "truth"]  # of a column's values
Value = int | Decimal | str | date | bool
Aggregate = Literal["count", "sum", "mean"]
Operator = Literal["=", "<>", "<", "<=", ">", ">="]
OPPOSITE: dict[Operator, Operator] = {"=": "<>", "<>": "=", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}
_SQL = {"count": "COUNT", "sum": "SUM", "mean": "AVG"}


@dataclass(frozen=True)
class ValueComparison:
    """A column compared with a value."""

    column: str
    operator: Operator
    value: Value


@dataclass(frozen=True)
class AmongValues:
    """A column that has one of several values, or none of them; the values are sorted and each once."""

    column: str
    values: tuple[Value, ...]
    negated: bool = False


@dataclass(frozen=True)
class Missing:
    """A column without a value, or with one."""

    column: str
    negated: bool = False


@dataclass(frozen=True)
class Every:
    """All parts are met; sorted by their text, each once, none of them an Every."""

    parts: tuple[Condition, ...]


@dataclass(frozen=True)
class Some:
    """At least one part is met; sorted by their text, each once, none of them a Some."""

    parts: tuple[Condition, ...]


Condition = ValueComparison | AmongValues | Missing | Every | Some


@dataclass(frozen=True)
class Query:
    """One aggregate over the records of a table that meet a condition, in canonical form.

    ``column`` is what is summed, None for a count.
    """

    aggregate: Aggregate
    table: str
    column: str | None = None
    condition: Condition | None = None

    @property
    def text(self) -> str:
        """The canonical SQL, which can be parsed again: queries that differ in order alone have the same.

        >>> Query("count", "patients", condition=ValueComparison("age", ">", 30)).text
        'SELECT COUNT(*) FROM "patients" WHERE "age" > 30'
        """
        asked = f"{_SQL[self.aggregate]}({'*' if self.column is None else quoted(self.column)})"
        met = "" if self.condition is None else f" WHERE {condition_text(self.condition)}"
        return f"SELECT {asked} FROM {quoted(self.table)}{met}"


def every(parts: Sequence[Condition]) -> Condition:
    """All of the parts, flat, sorted and each once."""
    flat = [inner for part in parts for inner in (part.parts if isinstance(part, Every) else (part,))]
    found = _sorted(flat)
    return found[0] if len(found) == 1 else Every(found)


def some(parts: Sequence[Condition]) -> Condition:
    """One of the parts or more, flat, sorted and each once."""
    flat = [inner for part in parts for inner in (part.parts if isinstance(part, Some) else (part,))]
    found = _sorted(flat)
    return found[0] if len(found) == 1 else Some(found)


def among(column: str, values: Sequence[Value]) -> Condition:
    """One of the values; a comparison where there is only one."""
    found = tuple(sorted(set(values)))  # all of the column's kind
    if len(found) == 1:
        return ValueComparison(column, "=", found[0])
    return AmongValues(column, found)


def opposite(condition: Condition) -> Condition:
    """The condition that NOT means: in SQL neither is met where a value is missing."""
    match condition:
        case ValueComparison(column, operator, value):
            return ValueComparison(column, OPPOSITE[operator], value)
        case AmongValues(column, values, negated):
            return AmongValues(column, values, not negated)
        case Missing(column, negated):
            return Missing(column, not negated)
        case Every(parts):
            return some([opposite(part) for part in parts])
        case Some(parts):
            return every([opposite(part) for part in parts])


def quoted(name: str) -> str:
    """A name as SQL has it."""
    return '"' + name.replace('"', '""') + '"'


def condition_text(condition: Condition) -> str:
    """A condition as canonical SQL."""
    return _rendered(condition, literal)


def bound(condition: Condition, mark: str) -> tuple[str, list[Value]]:
    """A condition as SQL with a mark for each value, and the values in their order."""
    values: list[Value] = []

    def placed(value: Value) -> str:
        values.append(value)
        return mark

    return _rendered(condition, placed), values


def literal(value: Value) -> str:
    """A value as SQL has it.

    >>> [literal(value) for value in ("it's", 3, Decimal("0.10"), True, date(2020, 1, 2))]
    ["'it''s'", '3', '0.1', 'TRUE', "'2020-01-02'"]
    """
    match value:
        case bool():
            return "TRUE" if value else "FALSE"
        case int():
            return str(value)
        case Decimal():
            plain = f"{value:f}"
            return (plain.rstrip("0").rstrip(".") or "0") if "." in plain else plain
        case date():
            return f"'{value.isoformat()}'"
    return "'" + value.replace("'", "''") + "'"


def _rendered(condition: Condition, value_text: object) -> str:
    assert callable(value_text)
    match condition:
        case ValueComparison(column, operator, value):
            return f"{quoted(column)} {operator} {value_text(value)}"
        case AmongValues(column, values, negated):
            return f"{quoted(column)} {'NOT ' * negated}IN ({', '.join(map(value_text, values))})"
        case Missing(column, negated):
            return f"{quoted(column)} IS {'NOT ' * negated}NULL"
        case Every(parts) | Some(parts):
            word = " AND " if isinstance(condition, Every) else " OR "
            return word.join(
                f"({_rendered(part, value_text)})"
                if isinstance(part, Every | Some)
                else _rendered(part, value_text)
                for part in parts
            )


def _sorted(parts: Sequence[Condition]) -> tuple[Condition, ...]:
    by_text = {condition_text(part): part for part in parts}
    return tuple(by_text[text] for text in sorted(by_text))
