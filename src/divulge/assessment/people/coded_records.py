"""Combinations of values as codes, kept where the records are, from which every level is counted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from divulge.engines.external.counting_place import CountingPlace
from divulge.engines.external.workplace import MOST_CELLS, ValueMapping
from divulge.engines.opening import counting_place, engine_for
from divulge.errors import TooMuch, listing
from divulge.mechanisms.transitions import in_canonical_order
from divulge.mechanisms.working_table import WorkingTable
from divulge.questions.data import Data
from divulge.recipes.groups_in_place import group_key
from divulge.recipes.in_place import coded_values, unmarked_query
from divulge.table.codes import Codes, narrow

Integers = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class CodedRecords:
    """The combinations of some attributes: codes in columns a0, a1 and so on, 0 for missing; n records."""

    whole: Data
    place: CountingPlace
    values: Mapping[str, Codes]  # what each code of an attribute stands for
    held: str  # what stands behind FROM for them

    @classmethod
    def of(
        cls, whole: Data, names: Sequence[str], people: Sequence[str] = (), weights: str | None = None
    ) -> CodedRecords:
        """The combinations of the attributes of a table, counted and kept there.

        ``people`` say whose records are whose: p is then a text of its own for each of them. ``weights`` is
        an attribute with what each record weighs, w, no number among them where it is no number.
        """
        place = counting_place(whole.source)
        columns = {name: f"c{place.attributes.index(name)}" for name in names}
        whose = [f"c{place.attributes.index(name)}" for name in people]
        weighed = [] if weights is None else [f"c{place.attributes.index(weights)}"]
        used = list(dict.fromkeys([*columns.values(), *whose, *weighed]))
        query = unmarked_query(place.dialect, place.start(None), (), used, whole.missing_values)
        values, joins, picked = dict[str, Codes](), "", list[str]()
        for number, (name, column) in enumerate(columns.items()):
            held = place.values(query, column)
            if held is None:
                raise TooMuch(
                    f"'{name}' of {place.name} has more than {place.most_values:,} values, too many to be "
                    "looked at one by one.",
                    hint="Recode it into fewer values first, or give it another role.",
                )
            values[name] = in_canonical_order(coded_values(held))
            mapping = place.mapping(held, _numbered(values[name]))
            joins += f" LEFT JOIN {mapping} AS m{number} ON t.{column} = m{number}.value"
            picked.append(f"coalesce(m{number}.released, 0) AS a{number}")
        told_by = [*(f"a{number}" for number in range(len(picked))), *(["p"] if whose else [])]
        by = ", ".join([*told_by, *(["w"] if weighed else [])])
        picked += [f"{place.dialect.parsed.format(f't.{one}')} AS w" for one in weighed]
        if whose:
            told = group_key(place.dialect, [f"t.{one}" for one in whose])
            picked.append(f"{told} AS p")
        coded = f"SELECT {', '.join(picked)} FROM ({query}) AS t{joins}"
        kept = place.hold(f"SELECT {by}, count(*) AS n FROM ({coded}) AS j GROUP BY {by}")
        return cls(whole, place, values, kept)

    def column(self, name: str) -> str:
        """What the column of an attribute is called there."""
        return f"a{list(self.values).index(name)}"

    def counted(self, names: Sequence[str], where: str = "") -> tuple[list[Integers], Integers]:
        """The codes of some attributes that occur together, and how many records have each."""
        by = ", ".join(map(self.column, names))
        grouped = f"SELECT {by}, {self.records_in('n')} AS n FROM {self.held} AS b{where} GROUP BY {by}"
        if len(names) > 1:
            rows = int(self.place.numbers(f"SELECT count(*) AS n FROM ({grouped}) AS g")[0][0])
            if rows * len(names) > MOST_CELLS:
                raise TooMuch(
                    f"The values of {listing(names)} of {self.place.name} occur in {rows:,} combinations, "
                    "too many for a target.",
                    hint="Name fewer attributes in a target.",
                )
        *codes, times = self.place.numbers(grouped)
        return [one.astype(np.int64) for one in codes], times.astype(np.int64)

    def records_in(self, term: str) -> str:
        """A sum of whole numbers as a whole number."""
        return f"CAST(sum({term}) AS {self.place.dialect.whole})"

    def codes(self, name: str, codes: Integers) -> Codes:
        """Codes of an attribute with the values that they stand for."""
        values = self.values[name].values
        return Codes(narrow(codes, len(values)), values)

    def as_data(self, names: Sequence[str], codes: Sequence[Integers], times: Integers) -> Data:
        """Rows of codes as data here, each of which stands for many records."""
        columns = {name: self.codes(name, one) for name, one in zip(names, codes, strict=True)}
        rows = np.arange(len(times))
        table = WorkingTable(columns, rows, original=columns, name=self.whole.source.name, times=times)
        schema = self.whole.schema
        for name in schema.identifiers:
            schema = schema.without_role(name)
        return replace(self.whole, engine=engine_for(table), schema=schema)


def _numbered(column: Codes) -> ValueMapping:
    """Values, and the codes that they become; a missing one becomes none."""
    places = np.flatnonzero(column.codes)
    zeros = np.zeros(len(places))
    return ValueMapping(
        places,
        zeros,
        1,
        zeros.astype(np.int64),
        zeros,
        zeros,
        [str(code) for code in column.codes[places].tolist()],
        "integer",
        None,
        certain=True,
        also_missing=False,
    )
