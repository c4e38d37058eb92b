"""How the target values of a question lie to each other: in an order, or in a tree."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from divulge.counting.counts import Counts
from divulge.counting.value_structure import levels_of, ranks_of
from divulge.engines.base import Request
from divulge.table.codes import Codes
from divulge.table.partition import Bins


def grounded(counts: Counts, request: Request, column: Callable[[str], Codes]) -> dict[str, Any]:
    """The order and the tree of the target's values, as far as there are such."""
    if request.about_records or len(request.target) != 1:
        return {}
    values = list(counts.target_values if counts.compared is None else counts.compared.values)
    [name] = request.target
    ground: dict[str, Any] = {}
    partition = request.partitions.get(name)
    ranks = ranks_of(values, list(partition.domains) if isinstance(partition, Bins) else request.order)
    if ranks is not None:
        ground["order"] = sorted(range(len(values)), key=ranks.__getitem__)
        ground["ranks"] = ranks
    if request.hierarchy is not None:
        request.hierarchy.level(1).locate(column(name), attribute=name)  # says how many are not covered
        ground["levels"] = levels_of(values, request.hierarchy, attribute=name)
    return ground
