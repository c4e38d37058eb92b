"""The records of a table after some steps of a recipe, as a query that grows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from divulge.engines.external.workplace import Workplace
from divulge.mechanisms.draws import Draws
from divulge.mechanisms.mechanism import Step
from divulge.mechanisms.suppression.records import NO_RECORD


@dataclass(frozen=True, eq=False)
class GrowingQuery:
    """The records as they are after some steps: a query, its columns by attribute, and how many there are."""

    place: Workplace
    query: str
    columns: dict[str, str]
    records: int = field(repr=False)

    @property
    def selected(self) -> list[str]:
        """All columns of the query, hidden ones first."""
        return [*self.place.hidden, *self.columns.values()]

    def counted(self, step: Step) -> GrowingQuery:
        """The same with its records counted anew; an error where none is left."""
        records = self.place.number(f"SELECT count(*) FROM ({self.query}) AS t")
        if not records:
            raise step.error(None, *NO_RECORD)
        return replace(self, records=records)


InPlace = Callable[[GrowingQuery, Step, Draws], tuple[GrowingQuery, dict[str, int]]]
