"""The records of a table after some steps of a recipe, as a query that grows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from divulge.engines.external.workplace import Workplace
from divulge.mechanisms.draws import Draws
from divulge.mechanisms.mechanism import Step
from divulge.mechanisms.suppression.records import NO_RECORD


@dataclass(frozen=True, eq=False)
class GrowingQuery:
    """The records as they are after some steps: a query, its columns by attribute, and how many there are.

    What a step asks of one column is asked of a shorter query, without what was done to the others.
    """

    place: Workplace
    query: str
    columns: dict[str, str]
    records: int = field(repr=False)
    begun: str = ""  # the query after the last step that looked at whole records
    alone: Mapping[str, str] = field(default_factory=dict)  # what was done since to one column, as a query

    @property
    def selected(self) -> list[str]:
        """All columns of the query, hidden ones first."""
        return [*self.place.hidden, *self.columns.values()]

    def of(self, column: str) -> str:
        """The query for all records with one column as it is; others may be as they were before."""
        return self.alone.get(column, self.begun)

    def with_column(self, column: str, changed: Callable[[str, Sequence[str]], str]) -> GrowingQuery:
        """The same with a column changed by what makes a query of a query and the columns to keep of it."""
        named = self.place.named
        alone = {**self.alone, column: named(changed(self.of(column), [*self.place.hidden, column]))}
        return replace(self, query=named(changed(self.query, self.selected)), alone=alone)

    def with_records(self, query: str) -> GrowingQuery:
        """The same with other records."""
        query = self.place.named(query)
        return replace(self, query=query, begun=query, alone={})

    def counted(self, step: Step) -> GrowingQuery:
        """The same with its records counted anew; an error where none is left."""
        records = self.place.number(f"SELECT count(*) FROM ({self.query}) AS t")
        if not records:
            raise step.error(None, *NO_RECORD)
        return replace(self, records=records)


InPlace = Callable[[GrowingQuery, Step, Draws], tuple[GrowingQuery, dict[str, int]]]
