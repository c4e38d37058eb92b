"""Records of a database table while they are added, in the order of a key that grows."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from datetime import date, datetime
from decimal import Decimal
from typing import Any

import sqlalchemy as sa

from divulge.engines.database.opening import open_url
from divulge.errors import ParameterError, suggestion
from divulge.source.relation import unreadable
from divulge.streams.arrivals import Arrived
from divulge.streams.line_parser import by_attribute

AT_ONCE = 50_000  # records that are asked for together


class GrowingTable:
    """Records of a table whose key exceeds all before; one added later with a smaller key is missed."""

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
        self._last = None if position is None else position.get("key")

    @property
    def position(self) -> dict[str, Any]:
        return {"key": self._last}

    def poll(self, patience: float) -> Arrived:
        """What has been added since; waits as long where nothing was."""
        key = self._place.c[self._key]
        query = sa.select(*(self._place.c[name] for name in self.attributes)).order_by(key).limit(AT_ONCE)
        if self._last is not None:
            query = query.where(key > self._last)
        try:
            with self._engine.connect() as connection:
                rows = [tuple(map(_plain, row)) for row in connection.execute(query)]
        except sa.exc.SQLAlchemyError as error:
            raise unreadable(self.name, getattr(error, "orig", None) or error) from None
        if rows:
            self._last = rows[-1][self.attributes.index(self._key)]
            return Arrived(by_attribute(self.attributes, rows))
        if self._follow:
            self._sleep(patience)
        return Arrived({}, ended=not self._follow)

    def close(self) -> None:
        self._engine.dispose()


def _plain(value: Any) -> Any:
    """A value as text where JSON has no form of its own for it."""
    return str(value) if isinstance(value, date | datetime | Decimal | bytes) else value
