"""SQL to a query: only what is listed here is taken, and everything else is refused with the reason.

The text is parsed by sqlglot and never executed. Each node of the tree has to be of a listed type, with
nothing in it but the listed parts; what is not known is refused, so that a new word of SQL is refused too.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal, InvalidOperation
from typing import Any

from divulge._support.wording import one_line
from divulge.errors import MissingLibrary, QueryError, attribute_suggestion
from divulge.queries.query import (
    Aggregate,
    Condition,
    Kind,
    Missing,
    Operator,
    Query,
    Value,
    ValueComparison,
    among,
    every,
    opposite,
    some,
)
from divulge.queries.sql_words import is_tangled

LONGEST, MOST_WORDS, MOST_VALUES, DEEPEST = 20_000, 4_000, 1_000, 20
SHAPE = "Ask SELECT COUNT(*), SUM(column) or AVG(column) FROM the table WHERE conditions."
_CONDITIONS = "Conditions are =, <>, <, <=, >, >=, IN, BETWEEN, IS NULL, AND, OR and NOT."
_WHOLE = re.compile(r"[0-9]{1,20}")
_NUMBER = re.compile(r"[0-9]{1,18}(?:\.[0-9]{1,18})?|\.[0-9]{1,18}")
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_NAMES = {
    "Subquery": "a nested query", "With": "WITH", "CTE": "WITH", "Join": "a join", "Group": "GROUP BY",
    "Having": "HAVING", "Union": "UNION", "Except": "EXCEPT", "Intersect": "INTERSECT", "Order": "ORDER BY",
    "Limit": "LIMIT", "Cast": "a cast", "Anonymous": "a function", "Case": "CASE", "Window": "a window",
    "Literal": "a value", "Distinct": "DISTINCT", "Parameter": "a parameter", "Placeholder": "a parameter",
    "Select": "a nested query",
}  # fmt: skip


@dataclass(frozen=True)
class Vocabulary:
    """The names that a query may use, and what kind of values each column has."""

    table: str
    conditions: Mapping[str, Kind]
    summed: frozenset[str]


def parse(text: str, names: Vocabulary, *, canonical: bool = False) -> Query:
    """The query that a text asks, in canonical form; QueryError where it is anything else.

    A text that is ``canonical`` was accepted before, and may be longer than what is read from others.

    >>> names = Vocabulary("people", {"age": "whole", "sex": "text"}, frozenset())
    >>> parse("select count(*) from people where sex in ('f') and age >= 30", names).text
    'SELECT COUNT(*) FROM "people" WHERE "age" >= 30 AND "sex" = \\'f\\''
    """
    try:
        return _Reader(names).query(_statement(text, names, limited=not canonical))
    except RecursionError:
        raise _refused("the conditions are nested too deeply", "Write fewer parentheses.") from None


def require_parser() -> Any:
    """sqlglot, loaded; it takes a moment."""
    try:
        import sqlglot.errors
    except ModuleNotFoundError:
        raise MissingLibrary("queries", "sqlglot", "queries") from None
    return sqlglot


def _statement(text: str, names: Vocabulary, *, limited: bool) -> Any:
    """The tree of the one statement in a text."""
    if not isinstance(text, str) or not text.strip():
        raise _refused("it is empty", SHAPE)
    if limited and len(text) > LONGEST:
        raise _refused(f"it has {len(text):,} characters", f"At most {LONGEST:,} are read.")
    if "\x00" in text or any("\ud800" <= letter <= "\udfff" for letter in text):
        raise _refused("it has characters that are no text", SHAPE)
    sqlglot = require_parser()
    try:
        words = sqlglot.tokenize(text)
        if limited and len(words) > MOST_WORDS:
            raise _refused(f"it has {len(words):,} words", f"At most {MOST_WORDS:,} are read.")
        if limited:
            _refuse_depth(text)
            if is_tangled(words, (names.table, *names.table.split("."), *names.conditions, *names.summed)):
                raise _refused("it has functions, nested queries or other words, nested or many", SHAPE)
        if (
            any(word.comments for word in words)
            or "/*" in _outside_texts(text)
            or "--" in _outside_texts(text)
        ):
            raise _refused("it has a comment", "Leave comments out.")
        if ";" in _outside_texts(text).rstrip().removesuffix(";"):
            raise _refused("it has several statements", "Ask one at a time.")
        if words and words[0].text.upper() not in ("SELECT", "WITH"):
            raise _refused("it is no SELECT", SHAPE)  # of other statements sqlglot would write a warning
        statements = sqlglot.parse(text, error_level=sqlglot.ErrorLevel.RAISE)
    except sqlglot.errors.SqlglotError:
        raise _refused("it is not SQL that can be parsed", SHAPE) from None
    except (ValueError, TypeError, KeyError, AttributeError, IndexError, AssertionError):
        # The parser may fail on a text that is not SQL in ways of its own.
        raise _refused("it is not SQL that can be parsed", SHAPE) from None
    if len(statements) != 1:
        raise _refused("it has several statements", "Ask one at a time.")
    return statements[0]


def _outside_texts(text: str) -> str:
    """The text without what is between quotation marks."""
    return re.sub(r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"", "''", text)


def _refuse_depth(text: str) -> None:
    plain = _outside_texts(text)
    depth = most = 0
    for letter in plain:
        depth += (letter == "(") - (letter == ")")
        most = max(most, depth)
    if most > DEEPEST or re.search(r"(?i)\bnot(\s+not){3}\b", plain):
        raise _refused("the conditions are nested too deeply", "Write fewer parentheses.")


def _refused(reason: str, hint: str) -> QueryError:
    return QueryError(f"This query is not answered: {reason}.", hint=hint)


class _Reader:
    """Reads a tree, node by node."""

    def __init__(self, names: Vocabulary) -> None:
        self._names = names

    def query(self, tree: Any) -> Query:
        self._only(tree, "Select", "expressions", "from_", "where")
        asked = tree.args.get("expressions") or []
        if len(asked) != 1:
            raise _refused(f"it asks for {len(asked)} things", "Ask for one COUNT(*), SUM or AVG.")
        aggregate, column = self._aggregate(asked[0])
        self._table(tree.args.get("from_"))
        where = tree.args.get("where")
        return Query(aggregate, self._names.table, column, None if where is None else self._where(where))

    def _only(self, node: Any, name: str, *parts: str) -> None:
        """Refuse a node that is of another type, or has parts beyond these."""
        if type(node).__name__ != name:
            raise _refused(f"it has {_called(node)}", _CONDITIONS if name == "Condition" else SHAPE)
        for part, held in node.args.items():
            if part not in parts and held not in (None, False, []):
                inner = held[0] if isinstance(held, list) else held
                raise _refused(f"it has {_called(inner, part)}", SHAPE)

    def _aggregate(self, node: Any) -> tuple[Aggregate, str | None]:
        kind = type(node).__name__
        if kind == "Count":
            self._only(node, "Count", "this", "big_int")
            star = node.args.get("this")
            if type(star).__name__ != "Star":
                raise _refused("it counts something other than records", "Write COUNT(*).")
            self._only(star, "Star")
            return "count", None
        if kind not in ("Sum", "Avg"):
            raise _refused(f"it asks for {_called(node)}", "Ask for one COUNT(*), SUM or AVG.")
        self._only(node, kind, "this")
        name = self._column(node.args.get("this"), self._names.summed, "be summed")
        return ("sum" if kind == "Sum" else "mean"), name

    def _table(self, node: Any) -> None:
        if node is None:
            raise _refused("it names no table", SHAPE)
        self._only(node, "From", "this")
        table = node.args.get("this")
        self._only(table, "Table", "this", "db")
        named = [self._identifier(table.args[part]) for part in ("db", "this") if table.args.get(part)]
        asked, wanted = ".".join(named), self._names.table
        if asked.casefold() not in (wanted.casefold(), wanted.split(".")[-1].casefold()):
            raise _refused(f"it asks another table than {wanted}", f"Write FROM {wanted}.")

    def _identifier(self, node: Any) -> str:
        self._only(node, "Identifier", "this", "quoted")
        name = node.args.get("this")
        if not isinstance(name, str):
            raise _refused("it has a name that is none", SHAPE)
        return name

    def _column(self, node: Any, allowed: Sequence[str] | frozenset[str], use: str) -> str:
        self._only(node, "Column", "this")
        asked = self._identifier(node.args.get("this"))
        found = [name for name in allowed if name == asked] or [
            name for name in allowed if name.casefold() == asked.casefold()
        ]
        if len(found) != 1:
            hint = attribute_suggestion(asked, allowed) or (
                f"These may: {', '.join(sorted(allowed))}." if allowed else "No column may."
            )
            raise _refused(f"the column '{one_line(asked[:60])}' may not {use}", hint)
        return found[0]

    def _where(self, node: Any) -> Condition:
        self._only(node, "Where", "this")
        return self._condition(node.args.get("this"))

    def _condition(self, node: Any) -> Condition:
        match type(node).__name__:
            case "Paren":
                self._only(node, "Paren", "this")
                return self._condition(node.args.get("this"))
            case "And" | "Or" as word:
                return (every if word == "And" else some)([self._condition(one) for one in self._chain(node)])
            case "Not":
                self._only(node, "Not", "this")
                return opposite(self._condition(node.args.get("this")))
            case "EQ" | "NEQ" | "LT" | "LTE" | "GT" | "GTE" as word:
                return self._comparison(node, word)
            case "In":
                self._only(node, "In", "this", "expressions")
                column = self._column(node.args.get("this"), [*self._names.conditions], "be in conditions")
                listed = node.args.get("expressions") or []
                if not 0 < len(listed) <= MOST_VALUES:
                    raise _refused(f"IN has {len(listed):,} values", f"List 1 to {MOST_VALUES:,}.")
                return among(column, [self._value(one, column) for one in listed])
            case "Between":
                self._only(node, "Between", "this", "low", "high")
                column = self._column(node.args.get("this"), [*self._names.conditions], "be in conditions")
                low, high = (self._value(node.args.get(end), column) for end in ("low", "high"))
                return every([ValueComparison(column, ">=", low), ValueComparison(column, "<=", high)])
            case "Is":
                self._only(node, "Is", "this", "expression")
                column = self._column(node.args.get("this"), [*self._names.conditions], "be in conditions")
                self._only(node.args.get("expression"), "Null")
                return Missing(column)
        raise _refused(f"a condition has {_called(node)}", _CONDITIONS)

    def _chain(self, node: Any) -> list[Any]:
        """The parts of a AND b AND c, from left to right, without recursion."""
        word, parts = type(node).__name__, []
        while type(node).__name__ == word:
            self._only(node, word, "this", "expression")
            parts.append(node.args.get("expression"))
            node = node.args.get("this")
        return [node, *reversed(parts)]

    def _comparison(self, node: Any, word: str) -> Condition:
        signs: dict[str, Operator] = {"EQ": "=", "NEQ": "<>", "LT": "<", "LTE": "<=", "GT": ">", "GTE": ">="}
        turned: dict[Operator, Operator] = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "=": "=", "<>": "<>"}
        self._only(node, word, "this", "expression")
        left, right, sign = node.args.get("this"), node.args.get("expression"), signs[word]
        if type(left).__name__ != "Column":
            left, right, sign = right, left, turned[sign]
        if type(left).__name__ != "Column":
            raise _refused(f"a condition compares {_called(right)} and not a column", _CONDITIONS)
        column = self._column(left, [*self._names.conditions], "be in conditions")
        return ValueComparison(column, sign, self._value(right, column))

    def _value(self, node: Any, column: str) -> Value:
        """A literal of the column's kind."""
        kind, negative = self._names.conditions[column], False
        if type(node).__name__ == "Neg":
            self._only(node, "Neg", "this")
            node, negative = node.args.get("this"), True
        if type(node).__name__ == "Boolean" and kind == "truth" and not negative:
            self._only(node, "Boolean", "this")
            return bool(node.args.get("this"))
        if type(node).__name__ != "Literal":
            raise _refused(f"a condition compares {column} with {_called(node)}", f"Write {_EXAMPLES[kind]}.")
        self._only(node, "Literal", "this", "is_string")
        text, is_text = str(node.args.get("this")), bool(node.args.get("is_string"))
        found = _literal(text, is_text, kind, negative)
        if found is None:
            raise _refused(
                f"a condition compares {column} with another kind of value", f"Write {_EXAMPLES[kind]}."
            )
        return found


_EXAMPLES: dict[Kind, str] = {
    "whole": "a whole number such as 30",
    "number": "a number such as 12.5",
    "text": "a text in single quotes such as 'north'",
    "date": "a date in single quotes such as '2020-01-31'",
    "truth": "TRUE or FALSE",
}


def _literal(text: str, is_text: bool, kind: Kind, negative: bool) -> Value | None:
    if kind in ("whole", "number"):
        if is_text or not (_WHOLE if kind == "whole" else _NUMBER).fullmatch(text):
            return None
        try:
            number = int(text) if kind == "whole" else Decimal(text)
        except (InvalidOperation, ValueError):
            return None
        return (-number if negative else number) or type(number)(0)  # no negative zero
    if negative or not is_text:
        return None
    if kind == "text":
        return text
    if kind == "date" and _DATE.fullmatch(text):
        try:
            return date.fromisoformat(text)
        except ValueError:
            return None
    return None


def _called(node: Any, part: str = "") -> str:
    """What a person would call a part of SQL."""
    name = type(node).__name__
    if name in _NAMES:
        return _NAMES[name]
    if part:
        return part.strip("_").replace("_", " ").upper()
    return "nothing" if node is None else f"'{name}', which is not among what is answered"
