"""A question made ready where the records are: some left out, values replaced by the domains they lie in."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np

from divulge.engines.base import Request
from divulge.engines.coded_table import Markers, check_span, refuse_wrong, without_markers
from divulge.engines.external.table import CountedAs, ExternalTable, ValueRecoding
from divulge.table.codes import Codes
from divulge.table.partition import Partition


def prepared(
    table: ExternalTable, request: Request, values: Callable[[str], Codes]
) -> tuple[ExternalTable, int, int] | None:
    """What is left to be counted there, and how many records are suppressed and dropped.

    None for what can only be counted record by record. ``values`` hands over those of an attribute.
    """
    conventions, markers = request.conventions, request.conventions.missing_values
    how = CountedAs(conventions.identifiers, conventions.weights, conventions.missing == "wildcard", markers)
    plain = how.plain and len(request.target) == 1
    if (not plain and table.counted_as(how) is None) or set(how.people) & request.partitions.keys():
        return None
    if how.weights is not None:
        check_weights(table, how.weights, markers)
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
    if how.people and counted.distinct(how.people) == counted.records:
        how = replace(how, people=())
    counting = counted if how.plain else counted.counted_as(how)
    assert counting is not None
    return counting, suppressed, dropped


def check_weights(table: ExternalTable, attribute: str, missing_values: Markers) -> None:
    """Refuse weights that are not all positive numbers of which sums can be made."""
    span = table.weight_span(attribute, missing_values)
    assert span is not None
    refuse_wrong(attribute, span.wrong, table.records)
    check_span(attribute, span.least, span.most, span.total)


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
