"""Records made here of combinations that came over; what stayed is asked where it is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from divulge.counting.counts import Integers
from divulge.engines.base import Engine, Frequencies, Summary
from divulge.engines.coded_table import NONE, Markers
from divulge.engines.counted_cache import CountedCache
from divulge.engines.external.engine import ExternalEngine
from divulge.engines.memory.counted_rows import CountedRows
from divulge.engines.memory.engine import MemoryEngine
from divulge.errors import SourceError
from divulge.limits.sizes import half_of_memory, require_memory
from divulge.source.base import Columns, Source
from divulge.table.codes import Codes, narrow

#: What a comparison holds for each record beside its codes: numbers of rows, of classes and of candidates.
BYTES_BESIDE = 200
BYTES_OF_CODE = 2


@dataclass(frozen=True, eq=False)
class BroughtOver(MemoryEngine):
    """A row for each record, with the attributes that came over as combinations.

    Of an attribute that stayed, values and how many there are come from ``whole``. Where no two records share
    it, as a key of records, its column has a number for each record.
    """

    whole: ExternalEngine | None = None
    here: frozenset[str] = field(default_factory=frozenset)

    def frequencies(self, attribute: str, missing_values: Markers = NONE) -> Frequencies:
        there = self._there(attribute)
        if there is not None:
            return there.frequencies(attribute, missing_values)
        return super().frequencies(attribute, missing_values)

    def all_values(self, attribute: str, missing_values: Markers = NONE) -> Frequencies | None:
        there = self._there(attribute)
        if there is not None:
            return there.all_values(attribute, missing_values)
        return super().frequencies(attribute, missing_values)

    def summary(self, attribute: str, most: int, missing_values: Markers = NONE) -> Summary:
        there = self._there(attribute)
        if there is not None:
            return there.summary(attribute, most, missing_values)
        return super().summary(attribute, most, missing_values)

    def distinct(self, attributes: Sequence[str], missing_values: Markers = NONE) -> int:
        if self.whole is not None and not self.here.issuperset(attributes):
            return self.whole.distinct(attributes, missing_values)
        return super().distinct(attributes, missing_values)

    def occurs(self, attribute: str, text: str, missing_values: Markers = NONE) -> bool:
        there = self._there(attribute)
        if there is not None:
            return there.occurs(attribute, text, missing_values)
        return super().occurs(attribute, text, missing_values)

    @property
    def numbered(self) -> bool:
        return False  # records of a cluster or a database have no order

    def like(self, source: Source, times: Integers | None) -> BroughtOver:
        passing = CountedCache[CountedRows](passing=True)
        return BroughtOver(source, times, _counted=passing, whole=self.whole, here=self.here)

    def _there(self, attribute: str) -> ExternalEngine | None:
        return None if attribute in self.here else self.whole


def in_place(engine: Engine) -> ExternalEngine | None:
    """An engine that counts records where they are; None where they are at hand."""
    return engine if isinstance(engine, ExternalEngine) else None


def records_of(
    whole: ExternalEngine,
    held: Callable[[str], Codes],
    here: Sequence[str],
    rows: npt.NDArray[np.integer],
    keys: Sequence[str],
    times: Integers | None = None,
) -> BroughtOver:
    """Records of combinations: ``rows`` are their places among these, ``held`` gives the columns.

    ``keys`` are attributes that stayed, and that no two records share. ``times`` says how many records a row
    stands for; one, where it is not given.
    """

    def encoder(name: str) -> Codes:
        if name in here:
            return held(name).take(rows)
        if name in keys and times is None:
            return Codes(narrow(np.arange(1, len(rows) + 1), len(rows)), range(len(rows)))
        raise SourceError(
            f"'{name}' of {whole.source.name} was not brought over, and is asked for record by record.",
            hint="Give it a role, or leave it out of both tables.",
        )

    source = Columns(whole.source.name, whole.source.attributes, len(rows), encoder)
    return BroughtOver(source, times, whole=whole, here=frozenset(here))


def require_room(name: str, cells: int, records: int) -> None:
    """Refuse more records than can be held here as codes and compared."""
    require_memory(
        BYTES_OF_CODE * cells + BYTES_BESIDE * records,
        f"Holding {records:,} records of {name} as codes",
        hint="Compare fewer attributes or a sample of the records, or run it where there is more memory.",
        most=half_of_memory(),
    )
