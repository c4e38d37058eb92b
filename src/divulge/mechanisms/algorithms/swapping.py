"""Swapping: which record each record has its value from, so that values move and their frequencies stay.

Functions give rows: ``values[rows]`` is what is released. Partners exchange their values, so that each value
occurs as often as before. Random numbers in [0, 1) come in, one for each row.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from divulge._compiled import library, swapping
from divulge.errors import ParameterError

Array = npt.NDArray[Any]
Floats = npt.NDArray[np.float64]


def rank_swap_rows(
    values: Array, percent: float, uniforms: Floats, *, tie_order: Array | None = None
) -> Array:
    """Rank swapping: values move by at most ``percent`` of the ranks.

    From the lowest rank on, a value that has no partner yet draws one of the p n / 100 ranks above it, each
    with the same chance (Moore, 1996; Carlson and Salabasis, 2000). If the value there has a partner already,
    the next one below without a partner is taken, otherwise the next one above within the window. A value
    that finds none stays. Equal values are ranked by ``tie_order``, or by rows where it is not given. The
    time grows like n log n, or like n for ranks, whatever the percentage.

    >>> rank_swap_rows(np.array([10, 30, 20, 40]), 25, np.zeros(4)).tolist()
    [2, 3, 0, 1]
    """
    if not 0 < percent <= 100:
        raise ParameterError(f"The percentage of ranks is {percent}, and has to lie between 0 and 100.")
    window = int(percent * len(values) / 100)
    if window < 1:
        raise ParameterError(
            f"{percent} % of the ranks is less than one rank, so that nothing would be swapped.",
            hint="Raise the percentage.",
        )
    order = rank_order(values, tie_order)
    if library.built():
        return swapping.swap_ranks(
            order.astype(np.uint32, copy=False), np.ascontiguousarray(uniforms, np.float64), window
        )
    rows = np.empty(len(values), np.int64)
    rows[order] = order[plain_partners(uniforms[order], window)]
    return rows


def rank_order(values: Array, ties: Array | None) -> Array:
    """Rows from the lowest value to the highest, equal ones by ties.

    Values that are ranks (``uint32``) with ties drawn from 0 up to 1 take time that grows like n.
    """
    if ties is None:
        return np.argsort(values, kind="stable")
    if values.dtype == np.uint32 and ties.dtype == np.float64 and library.built():
        return swapping.rank_order(values, ties)
    return np.lexsort((ties, values))


def plain_partners(uniforms: Floats, window: int) -> Array:
    """The partner of each rank, the same as the compiled loop finds: time grows like n times the window."""
    partner = np.full(len(uniforms), -1, np.int64)
    for rank, chance in enumerate(uniforms.tolist()):
        if partner[rank] < 0:
            partner[rank] = rank
            free = rank + 1 + np.flatnonzero(partner[rank + 1 : rank + 1 + window] < 0)
            if len(free):
                drawn = rank + 1 + int(chance * window)
                other = int(free[max(0, int(np.searchsorted(free, drawn, side="right")) - 1)])
                partner[rank], partner[other] = other, rank
    return partner


def random_swap_rows(share: float, uniforms: Floats, strata: Array | None = None) -> Array:
    """Random swapping: a share of the records exchange values in pairs that chance makes.

    In every stratum the records with the lowest random numbers are chosen, an even number of them and at most
    the share, and neighbours in the order of these numbers are partners (Dalenius and Reiss, 1982).

    >>> random_swap_rows(0.5, np.array([0.9, 0.1, 0.8, 0.3])).tolist()
    [0, 3, 2, 1]
    """
    if not 0 < share <= 1:
        raise ParameterError(f"The share of records to swap is {share}, and has to lie between 0 and 1.")
    chosen = _lowest(share, uniforms) if strata is None else _lowest_of_strata(share, uniforms, strata)
    rows = np.arange(len(uniforms))
    rows[chosen] = chosen.reshape(-1, 2)[:, ::-1].ravel()
    return rows


def _even(share: float, records: Array | int) -> Any:
    """An even number of records, at most the share; 0.3 of 20 is 6, though less in binary numbers."""
    return 2 * np.asarray((records * share + 1e-9) // 2, np.int64)


def _lowest(share: float, uniforms: Floats) -> Array:
    """The records with the lowest numbers, in their order."""
    return np.argsort(uniforms, kind="stable")[: int(_even(share, len(uniforms)))]


def _lowest_of_strata(share: float, uniforms: Floats, strata: Array) -> Array:
    """The same stratum by stratum."""
    order = np.lexsort((uniforms, strata))
    _, starts, sizes = np.unique(strata[order], return_index=True, return_counts=True)
    place = np.arange(len(order)) - np.repeat(starts, sizes)
    return np.asarray(order[place < np.repeat(_even(share, sizes), sizes)])
