"""Records of which some are left out, with some values replaced by the domains that they lie in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from divulge.engines.external.table import ValueRecoding
from divulge.engines.out_of_core.file_rows import Rows
from divulge.engines.out_of_core.sampled_sizes import Sampled
from divulge.engines.out_of_core.session import InterruptibleConnection
from divulge.table.codes import Codes, narrow


@dataclass(frozen=True)
class Lookup:
    """A table of values of an attribute, each with the place of its domain; no place means missing."""

    table: str
    domains: Sequence[object]


@dataclass(frozen=True, eq=False)
class RecodedRows:
    """Other records, those left out whose ``marks`` all read as said or that lack one of ``needed``."""

    rows: Rows
    lookups: Mapping[str, Lookup]
    needed: Sequence[str]
    marks: Mapping[str, str]

    @property
    def attributes(self) -> tuple[str, ...]:
        return self.rows.attributes

    def select(self, cursor: InterruptibleConnection, wanted: Sequence[str]) -> str:
        read = list(dict.fromkeys([*wanted, *self.needed, *self.marks]))
        before = {one: f"t.c{i}" for i, one in enumerate(read)}
        after = {one: f"m{i}.place" if one in self.lookups else before[one] for i, one in enumerate(read)}
        joins = [
            f"LEFT JOIN {self.lookups[one].table} AS m{i} ON t.c{i} IS NOT DISTINCT FROM m{i}.value"
            for i, one in enumerate(read)
            if one in self.lookups
        ]
        kept = [f"{after[one]} IS NOT NULL" for one in self.needed]
        if self.marks:
            marked = [self.rows.reads(one, before[one], mark) or "false" for one, mark in self.marks.items()]
            kept.append(f"NOT coalesce({' AND '.join(marked)}, false)")
        picked = ", ".join([*(f"{after[one]} AS c{i}" for i, one in enumerate(wanted)), "t.r"])
        where = f"WHERE {' AND '.join(kept)}" if kept else ""
        return f"SELECT {picked} FROM ({self.rows.select(cursor, read)}) AS t {' '.join(joins)} {where}"

    def codes(self, cursor: InterruptibleConnection, column: str, attribute: str, rows: int) -> Codes:
        if attribute not in self.lookups:
            return self.rows.codes(cursor, column, attribute, rows)
        places = cursor.execute(f"SELECT coalesce({column}, 0) AS place FROM kept").fetchnumpy()["place"]
        domains = self.lookups[attribute].domains
        return Codes(narrow(places, len(domains)), domains)

    def reads(self, attribute: str, column: str, mark: str) -> str | None:
        if attribute not in self.lookups:
            return self.rows.reads(attribute, column, mark)
        domains = enumerate(self.lookups[attribute].domains, 1)
        places = [str(place) for place, domain in domains if str(domain) == mark]
        return f"{column} IN ({', '.join(places)})" if places else None

    def sampled(self, attribute: str) -> Sampled:
        if attribute not in self.lookups:
            return self.rows.sampled(attribute)
        values = len(self.lookups[attribute].domains)
        return Sampled(values, values, 0.0, dense=values)

    def values(self, attribute: str) -> float:
        return (
            len(self.lookups[attribute].domains) + 1
            if attribute in self.lookups
            else self.rows.values(attribute)
        )

    def width(self, attribute: str) -> float:
        return 4 if attribute in self.lookups else self.rows.width(attribute)


def place_of(recoded: ValueRecoding, values: Sequence[object]) -> list[int]:
    """The place of each value's domain; 0 where it has none. True is not 1."""
    known = {
        (isinstance(value, bool), value): place
        for value, place in zip(recoded.values, recoded.places[1:].tolist(), strict=True)
    }
    return [known.get((isinstance(value, bool), value), 0) for value in values]
