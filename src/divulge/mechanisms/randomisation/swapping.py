"""Values exchanged between records: how often each occurs stays exactly the same."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from divulge.errors import DivulgeError
from divulge.mechanisms.algorithms.swapping import random_swap_rows, rank_swap_rows
from divulge.mechanisms.algorithms.targeted_swapping import targeted_swap_rows
from divulge.mechanisms.draws import Draws
from divulge.mechanisms.mechanism import MechanismLaw, Step, by_table
from divulge.mechanisms.numbers import value_ranks
from divulge.mechanisms.parameters import Parameter
from divulge.mechanisms.transitions import in_canonical_order
from divulge.mechanisms.working_table import WorkingTable
from divulge.table.codes import looked_up

_LAWS = frozenset({MechanismLaw.RECORDS, MechanismLaw.MARGINALS})


@by_table(
    name="rank_swapping",
    title="Rank swapping",
    random=True,
    takes="numbers",
    parameters=(
        Parameter(
            "percent",
            "number",
            "Values move by at most this percentage of the ranks.",
            least=0,
            most=100,
            example="5",
            secret=True,
        ),
    ),
    laws=_LAWS,
    example="of 1,000 records with percent = 5, a value moves by at most 50 ranks",
    reference="moore1996",
)
def rank_swapping(table: WorkingTable, step: Step, draws: Draws) -> WorkingTable:
    """Exchange each number with one of nearly the same rank, every attribute by itself.

    Missing values stay where they are.
    """
    columns = {}
    for name in step.attributes:
        column = table.column(name)
        ranks = value_ranks(column, name, step)
        records = int(np.count_nonzero(column.codes))
        if records < 2:
            continue
        present = None if records == table.records else np.flatnonzero(column.codes)
        codes, rows = (one if present is None else one[present] for one in (column.codes, table.draw_rows))
        drawn, ties = draws.uniforms(name, rows), draws.uniforms(f"{name}\x1fties", rows)
        try:
            partners = rank_swap_rows(looked_up(ranks, codes), step["percent"], drawn, tie_order=ties)
        except DivulgeError as error:
            raise step.error("percent", error.message, error.hint or "") from None
        if present is not None:
            swapped = np.arange(table.records)
            swapped[present] = present[partners]
            partners = swapped
        columns[name] = column.take(partners)
    return table.with_columns(columns)


@by_table(
    name="random_swapping",
    title="Random swapping",
    random=True,
    takes="any values",
    parameters=(
        Parameter(
            "share",
            "number",
            "Share of the records that exchange values.",
            least=0,
            most=1,
            open=False,
            example="0.1",
            secret=True,
        ),
        Parameter("strata", "attributes", "Records exchange only within these.", ()),
    ),
    laws=_LAWS,
    example="of 1,000 records with share = 0.1, 100 exchange their values in 50 pairs",
    reference="dalenius1982",
)
def random_swapping(table: WorkingTable, step: Step, draws: Draws) -> WorkingTable:
    """Exchange the values of the attributes together between pairs of records that chance makes."""
    return _swapped(table, step, _pairs(table, step, draws))


@by_table(
    name="targeted_swapping",
    title="Targeted swapping",
    random=True,
    takes="any values",
    parameters=(
        Parameter("k", "whole number", "Records in groups of fewer are swapped.", least=2, example="3"),
        Parameter(
            "keys",
            "attributes",
            "Attributes on which partners are alike, the most important first.",
            example='["age"]',
        ),
        Parameter("least_alike", "whole number", "Fewest of these keys on which partners agree.", 0, least=0),
    ),
    laws=_LAWS,
    example="the only person of 90 in a region exchanges the region with someone of 90 elsewhere",
    reference="shlomo2010",
)
def targeted_swapping(table: WorkingTable, step: Step, draws: Draws) -> WorkingTable:
    """Exchange attributes of records in small groups with records that are alike on other keys.

    Groups share the attributes and the keys together. The smallest choose their partners first.
    """
    keys = step["keys"]
    both = [name for name in keys if name in step.attributes]
    if both:
        raise step.error("keys", f"'{both[0]}' is swapped itself.", "Name other attributes as keys.")
    sizes = table.class_sizes([*step.attributes, *keys])
    swapped = table.classes(step.attributes).number
    alike = np.column_stack([in_canonical_order(table.column(name)).codes.astype(np.int64) for name in keys])
    try:
        rows = targeted_swap_rows(
            swapped,
            alike,
            sizes,
            step["k"],
            draws.uniforms("partners", table.draw_rows),
            least_alike=step["least_alike"],
        )
    except DivulgeError as error:
        raise step.error("least_alike", error.message, error.hint or "") from None
    return _swapped(table, step, rows)


def _pairs(table: WorkingTable, step: Step, draws: Draws) -> npt.NDArray[np.int64]:
    strata = table.classes(step["strata"]).number if step["strata"] else None
    try:
        return random_swap_rows(step["share"], draws.uniforms("pairs", table.draw_rows), strata)
    except DivulgeError as error:
        raise step.error("share", error.message, error.hint or "") from None


def _swapped(table: WorkingTable, step: Step, rows: npt.NDArray[np.int64]) -> WorkingTable:
    return table.with_columns({name: table.column(name).take(rows) for name in step.attributes})
