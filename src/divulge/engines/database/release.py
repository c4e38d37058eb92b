"""A release of a database's table: made and written inside the database, in one transaction."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from typing import Any

import sqlalchemy as sa

from divulge._support.whole_files import Ending, at_the_end
from divulge.engines.database.column import DatabaseColumn
from divulge.engines.database.table import DatabaseTable
from divulge.engines.external.workplace import (
    HeldValues,
    KeepingWorkplace,
    ReceivingWorkplace,
    ReleasedColumn,
    ReleaseDialect,
    ValueMapping,
)
from divulge.errors import ParameterError, SourceError
from divulge.source.relation import unreadable
from divulge.table.codes import as_number

_BLOCK = 10_000


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


_NUMBER = r"^\s*[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?\s*$"
POSTGRESQL = ReleaseDialect(
    digits=lambda text, first: (
        f"('x' || lpad(substr(md5({text}), {first}, 13), 16, '0'))::bit(64)::bigint::float8"
    ),
    literal=_literal,
    text="TEXT",
    number="DOUBLE PRECISION",
    whole="BIGINT",
    decimal="NUMERIC(38, {})",
    parsed=f"CASE WHEN CAST({{0}} AS TEXT) ~ '{_NUMBER}' THEN CAST({{0}} AS DOUBLE PRECISION) END",
    spelled="CAST(round(CAST({0} AS NUMERIC), {1}) AS TEXT)",
    point="strpos({}, '.')",
    once=" OFFSET 0",
)
SQLITE = ReleaseDialect(
    digits=lambda text, first: f"divulge_digits({text}, {first})",
    literal=_literal,
    text="TEXT",
    number="REAL",
    whole="INTEGER",
    decimal="NUMERIC",
    parsed="divulge_number({})",
    spelled="printf('%.{1}f', {0})",
    point="instr({}, '.')",
    floor="divulge_floor({})",
    once=" LIMIT -1",
)
_DIALECTS = {"postgresql": POSTGRESQL, "sqlite": SQLITE}
_TYPES: dict[str, Any] = {
    "boolean": sa.Boolean,
    "integer": sa.BigInteger,
    "float": sa.Double,
    "date": sa.Date,
    "moment": sa.DateTime,
    "instant": partial(sa.DateTime, timezone=True),
    "text": sa.Text,
    "binary": sa.LargeBinary,
}
#: SQLite keeps days and times as texts, and truth values as numbers.
_SQLITE = {
    "boolean": "CASE released WHEN 'true' THEN 1 WHEN 'false' THEN 0 END",
    "integer": "CAST(released AS INTEGER)",
    "float": "CAST(released AS REAL)",
    "decimal": "CAST(released AS NUMERIC)",
}


class DatabaseWorkplace(KeepingWorkplace, ReceivingWorkplace):
    """A table of a database, and the table beside it that its release is written to."""

    prefix = "divulge_"

    def __init__(self, table: DatabaseTable, connection: Any, out: Sequence[str], *, overwrite: bool) -> None:
        super().__init__(table)
        self.dialect = _DIALECTS[connection.dialect.name]
        self._table, self._connection, self._out, self._overwrite = table, connection, out, overwrite

    def start(self, key: str | None) -> str:
        place, columns = self._table.place, self._table.columns
        drawn_by = sa.literal_column("NULL") if key is None else sa.column(key)
        picked = [
            self._comparable(columns[name]).label(f"c{place}") for place, name in enumerate(self.attributes)
        ]
        query = sa.select(sa.cast(drawn_by, sa.Text).label("k"), *picked).select_from(place)
        return str(query.compile(self._connection, compile_kwargs={"literal_binds": True}))

    def _comparable(self, column: DatabaseColumn) -> Any:
        """A column so that equal values are equal; in PostgreSQL texts are that without another collation."""
        compared = column.grouped.element
        if self._connection.dialect.name == "postgresql" and not isinstance(compared, sa.Function):
            return sa.column(column.name)
        return compared

    def mapping(self, held: HeldValues, mapping: ValueMapping) -> str:
        listed = self.new_name("x")
        kinds = {"place": sa.BigInteger, "part": sa.Double, "code": sa.BigInteger}
        kinds |= {"low": sa.Double, "high": sa.Double, "released": sa.Text}
        listing = [sa.Column(one, kind) for one, kind in kinds.items()]
        made = sa.Table(listed, sa.MetaData(), *listing, prefixes=["TEMPORARY"])
        made.create(self._connection)
        names = [column.name for column in made.columns]
        rows = list(zip(*mapping.columns(), strict=True))
        for first in range(0, len(rows), _BLOCK):
            block = [dict(zip(names, row, strict=True)) for row in rows[first : first + _BLOCK]]
            self._connection.execute(sa.insert(made), block)
        released = _SQLITE.get(mapping.kind, "released")
        if self._connection.dialect.name != "sqlite":
            kind = _type(mapping.kind, mapping.digits)
            released = str(sa.cast(sa.column("released"), kind).compile(dialect=self._connection.dialect))
        return self.keep(
            "m",
            f"SELECT value, part, code, low, high, {released} AS released "
            f"FROM {listed} AS x JOIN {held.name} AS v ON v.place = x.place",
        )

    def write(self, query: str, columns: Sequence[tuple[str, str]], order: str | None) -> None:
        quote = self._connection.dialect.identifier_preparer.quote
        out = ".".join(map(quote, self._out))
        picked = ", ".join(f"{column} AS {quote(name)}" for name, column in columns)
        last = f" ORDER BY {order}" if order else ""
        if self._overwrite:
            self.run(f"DROP TABLE IF EXISTS {out}")
        self.run(f"CREATE TABLE {out} AS SELECT {picked} FROM ({query}) AS t{last}")

    def write_columns(self, columns: Sequence[ReleasedColumn]) -> None:
        *schema, name = self._out
        made = sa.Table(
            name,
            sa.MetaData(schema=schema[0] if schema else None),
            *(sa.Column(one.name, _type(one.kind, one.digits)) for one in columns),
        )
        made.drop(self._connection, checkfirst=True)  # whether it may be replaced was looked at before
        made.create(self._connection)
        names = [one.name for one in columns]
        for first in range(0, len(columns[0].values), _BLOCK):
            rows = zip(*(one.values[first : first + _BLOCK] for one in columns), strict=True)
            self._connection.execute(sa.insert(made), [dict(zip(names, row, strict=True)) for row in rows])

    def run(self, statement: str, *given: object) -> Any:
        marked = "format" in self._connection.dialect.paramstyle  # then % stands for what is given
        return self._connection.exec_driver_sql(statement.replace("%", "%%") if marked else statement, *given)


def _type(kind: str, digits: tuple[int, int] | None) -> Any:
    return sa.Numeric(*digits) if digits else _TYPES[kind]()


@contextmanager
def database_workplace(table: DatabaseTable, out: str, *, overwrite: bool) -> Iterator[DatabaseWorkplace]:
    """Where the release of a table is made: all of it is there afterwards, or nothing."""
    engine = table.session.engine
    if engine.dialect.name not in _DIALECTS:
        raise SourceError(
            f"A release is not made inside a {engine.dialect.name} database.",
            hint="Name a file for it: --out released.csv.",
        )
    table.session.close()  # what only reads would be in the way of what writes
    with _told(out), _writing(engine, out) as connection:
        place = out.split(".", 1)  # a schema before the name, where there is one
        schema, name = (None, out) if len(place) == 1 else place
        there = sa.inspect(connection)
        if there.has_table(name, schema=schema) and not overwrite:
            raise ParameterError(
                f"There is a table '{out}' already.", hint="Name another, or allow it with --overwrite."
            )
        if name == str(table.place.name) and schema in (None, table.place.schema):
            raise ParameterError("The release would replace the data.", hint="Name another table.")
        yield DatabaseWorkplace(table, connection, place, overwrite=overwrite)


@contextmanager
def _told(out: str) -> Iterator[None]:
    """An error of the database without its own words, which may quote records."""
    try:
        yield
    except sa.exc.SQLAlchemyError as error:
        raise unreadable(f"Table {out}", getattr(error, "orig", None) or error) from None


@contextmanager
def _writing(engine: Any, out: str) -> Iterator[Any]:
    """A connection in one transaction, which is undone where anything fails, here or in what goes with it."""
    with ExitStack() as held:
        connection = held.enter_context(engine.connect())
        if engine.dialect.name == "sqlite":
            driver = connection.connection.driver_connection
            for name, (count, function) in SQLITE_FUNCTIONS.items():
                driver.create_function(name, count, function, deterministic=True)
            connection.exec_driver_sql("BEGIN IMMEDIATE")
        connection.detach()  # no pool's any more: closing it closes it
        try:
            yield connection
        except BaseException:
            connection.rollback()
            raise

        def commit() -> None:
            with _told(out):
                connection.commit()

        at_the_end(Ending(commit, connection.rollback, held.pop_all().close))


def _digits(text: str, first: int) -> float:
    digest = hashlib.md5(text.encode(), usedforsecurity=False).hexdigest()
    return float(int(digest[first - 1 : first + 12], 16))


def _number(value: object) -> float | None:
    number = as_number(value)
    return None if math.isnan(number) else number


def _of_number(function: Callable[[float], float]) -> Callable[[float | None], float | None]:
    return lambda value: None if value is None else float(function(value))


#: What SQLite lacks, or has in some builds only: the number of arguments and the function.
SQLITE_FUNCTIONS: dict[str, tuple[int, Callable[..., Any]]] = {
    "divulge_digits": (2, _digits),
    "divulge_number": (1, _number),
    "divulge_floor": (1, _of_number(math.floor)),
    "ln": (1, _of_number(math.log)),
    "exp": (1, _of_number(math.exp)),
    "cos": (1, _of_number(math.cos)),
    "sqrt": (1, _of_number(math.sqrt)),
}
