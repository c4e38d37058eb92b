"""A question made ready where the records are: some left out, values replaced by the domains they lie in."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from divulge.engines.base import Request
from divulge.engines.coded_table import Markers, without_markers
from divulge.engines.external.table import ExternalTable, ValueRecoding
from divulge.table.codes import Codes
from divulge.table.partition import Partition


def prepared(
    table: ExternalTable, request: Request, values: Callable[[str], Codes]
) -> tuple[ExternalTable, int, int] | None:
    """What is left to be counted there, and how many records are suppressed and dropped.

    None for what can only be counted record by record. ``values`` hands over those of an attribute.
    """
    conventions, markers = request.conventions, request.conventions.missing_values
    plain = conventions.weights is None and not conventions.identifiers and conventions.missing != "wildcard"
    if not plain or len(request.target) != 1 or request.beside is not None:
        return None
    marks = {} if conventions.suppressed is None else dict.fromkeys(request.known, conventions.suppressed)
    shown = table.prepared({}, suppressed=marks)
    if shown is None:
        return None
    used = [*request.keys, *request.sought]
    counted = shown.prepared(
        _unmarked({name: values(name) for name in used} if markers else {}, markers),
        without_missing=used if conventions.missing == "drop" else (),
    )
    assert counted is not None
    suppressed, dropped = table.records - shown.records, shown.records - counted.records
    if request.partitions:
        counted = counted.prepared(
            {name: _grouped(counted, name, one) for name, one in request.partitions.items()}
        )
        assert counted is not None
    return counted, suppressed, dropped


def _unmarked(columns: Mapping[str, Codes], markers: Markers) -> dict[str, ValueRecoding]:
    """Attributes with values that mean missing, and what becomes of them."""
    recoded = {name: (column, without_markers(column, markers)) for name, column in columns.items()}
    return {name: _recoding(*pair) for name, pair in recoded.items() if pair[0] is not pair[1]}


def _grouped(table: ExternalTable, name: str, partition: Partition) -> ValueRecoding:
    found = table.combinations([name])
    column = (table if found is None else found[0]).encode([name])[name]
    return _recoding(column, partition.apply(column, attribute=name))


def _recoding(before: Codes, after: Codes) -> ValueRecoding:
    places = np.zeros(before.cardinality, dtype=np.int64)
    places[before.codes] = after.codes
    return ValueRecoding(before.values, places, after.values)
