"""Noise under differential privacy on the inner cells of each table; margins are their sums."""

from __future__ import annotations

import math

import numpy as np

from divulge.errors import ParameterError
from divulge.mechanisms.synthesis.private_noise import noisy_counts
from divulge.tabulation.layout.building import BuiltTables
from divulge.tabulation.layout.contributions import Entries, facts
from divulge.tabulation.layout.linked import Numbers, TableLayout


def noisy(
    built: BuiltTables, epsilon: float, bounds: tuple[float, float] | None
) -> tuple[dict[str, Numbers], float]:
    """The cells of each table with noise, by its name, and the epsilon that all of them spend for one record.

    Counts get discrete Laplace (two-sided geometric) noise. Sums are of contributions cut to ``bounds`` and
    rounded to whole numbers, with noise as large as the larger bound. Tables share the epsilon evenly, so
    that a cell which two of them have can differ.
    """
    if built.statistic == "mean":
        raise ParameterError("Noise is added to counts and sums, not to means.", hint="Publish both instead.")
    if not built.counts and bounds is None:
        raise ParameterError(
            "Noise on sums needs bounds of a contribution.", hint="Write bounds = [0, 1000] in [protection]."
        )
    assert built.entries is not None
    entries, reach = built.entries, 1
    if bounds is not None and not built.counts:
        cut = np.round(np.clip(entries.amount, *bounds)).astype(np.float64)
        each = np.arange(len(cut))
        entries = Entries(entries.categories, each, cut, entries.weight, entries.records, entries.people)
        reach = max(1, *(math.ceil(abs(one)) for one in bounds))  # rounding may lead above a bound
    if built.weighted:
        raise ParameterError("Noise under differential privacy is for tables without weights.")
    exact = np.round(facts(built.tables, entries).value)
    share = epsilon / len(built.tables.layouts)
    released, spent = {}, 0.0
    for layout in built.tables.layouts:
        inner = layout.inner.ravel()
        found, used = noisy_counts([int(one) for one in exact[inner]], share / reach)
        spent += used * reach
        released[layout.name] = _with_margins(layout, np.asarray(found, np.float64), len(built.tables))
    return released, spent


def _with_margins(layout: TableLayout, inner: Numbers, cells: int) -> Numbers:
    """All cells of a table from its inner ones; not a number elsewhere."""
    shape = [one.leaves for one in layout.dimensions]
    grid = inner.reshape(shape)
    for axis, dimension in enumerate(layout.dimensions):
        members = np.zeros((len(dimension), dimension.leaves))
        for leaf, chain in enumerate(dimension.ancestors):
            members[list(chain), leaf] = 1.0
        grid = np.moveaxis(np.tensordot(members, grid, axes=(1, axis)), 0, axis)
    found = np.full(cells, np.nan)
    found[layout.cells.ravel()] = grid.ravel()
    return found
