"""Records of a database table while they are added, in the order of a key that grows."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from datetime import date, datetime
from decimal import Decimal
from typing import Any
from uuid import UUID

import sqlalchemy as sa

from divulge.engines.database.opening import open_url
from divulge.errors import ParameterError, SourceError, suggestion
from divulge.source.relation import unreadable
from divulge.streams.arrivals import Arrived
from divulge.streams.line_parser import by_attribute

AT_ONCE = 50_000  # records that are asked for together
#: Keys that JSON has no form for, by what they are called in a position, and how they are read back.
_KEYS: dict[str, Callable[[str], Any]] = {
    "datetime": datetime.fromisoformat,
    "date": date.fromisoformat,
    "Decimal": Decimal,
    "UUID": UUID,
}


class GrowingTable:
    """Records of a table whose key exceeds all before.

    One that is added later with the same or a smaller key is missed, and one without a key is not read.
    """

    def __init__(
        self,
        url: str,
        table: str | None,
        key: str,
        *,
        follow: bool = True,
        position: Mapping[str, Any] | None = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        opened = open_url(url, table)
        if key not in opened.attributes:
            raise ParameterError(
                f"{opened.name} has no column '{key}' to follow.",
                hint=suggestion(key, opened.attributes) or "Name a column that grows: --cursor.",
            )
        self.name, self.attributes = opened.name, opened.attributes
        self._engine, self._place = opened.session.engine, opened.place
        opened.session.close()
        self._key, self._follow, self._sleep = key, follow, sleep
        self._last = None if position is None else _key_at(position)

    @property
    def position(self) -> dict[str, Any]:
        kind = type(self._last).__name__
        return {"key": str(self._last), "kind": kind} if kind in _KEYS else {"key": self._last}

    def poll(self, patience: float) -> Arrived:
        """What has been added since; waits as long where nothing was."""
        rows = self._rows()
        if rows:
            self._last = rows[-1][self.attributes.index(self._key)]
            return Arrived(by_attribute(self.attributes, [tuple(map(_plain, row)) for row in rows]))
        if self._follow:
            self._sleep(patience)
        return Arrived({}, ended=not self._follow)

    def _rows(self) -> list[Any]:
        """The next records, with all that have the same key as the last of them."""
        key, place = self._place.c[self._key], self.attributes.index(self._key)
        query = sa.select(*(self._place.c[name] for name in self.attributes)).order_by(key)
        query = query.where(key.is_not(None) if self._last is None else key > self._last)
        limit = AT_ONCE
        while True:
            try:
                with self._engine.connect() as connection:
                    rows = list(connection.execute(query.limit(limit)))
            except sa.exc.SQLAlchemyError as error:
                raise unreadable(self.name, getattr(error, "orig", None) or error) from None
            if len(rows) < limit:
                return rows
            whole = [row for row in rows if row[place] != rows[-1][place]]  # there may be more of the last
            if whole:
                return whole
            limit *= 2

    def close(self) -> None:
        self._engine.dispose()


def _plain(value: Any) -> Any:
    """A value as text where JSON has no form of its own for it."""
    return str(value) if isinstance(value, date | datetime | Decimal | UUID | bytes) else value


def _key_at(position: Mapping[str, Any]) -> Any:
    """The key that a position has, of the type that the database knows it by."""
    key, kind = position.get("key"), position.get("kind")
    try:
        return _KEYS[kind](key) if kind is not None and key is not None else key
    except (KeyError, TypeError, ValueError, ArithmeticError):
        raise SourceError("The snapshot has a position that is none.", hint="Watch without it.") from None
