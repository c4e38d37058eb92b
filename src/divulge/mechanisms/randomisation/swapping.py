"""Values exchanged between records: how often each occurs stays exactly the same."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from divulge.errors import DivulgeError
from divulge.mechanisms.algorithms.swapping import random_swap_rows, rank_swap_rows
from divulge.mechanisms.draws import Draws
from divulge.mechanisms.mechanism import MechanismLaw, Step, by_table
from divulge.mechanisms.numbers import record_numbers
from divulge.mechanisms.parameters import Parameter
from divulge.mechanisms.working_table import WorkingTable

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
        numbers = record_numbers(column, name, step)
        present = np.flatnonzero(~np.isnan(numbers))
        if len(present) < 2:
            continue
        drawn = draws.uniforms(name, table.draw_rows)[present]
        ties = np.argsort(np.argsort(draws.uniforms(f"{name}\x1fties", table.draw_rows)[present]))
        try:
            partners = rank_swap_rows(numbers[present], step["percent"], drawn, tie_order=ties)
        except DivulgeError as error:
            raise step.error("percent", error.message, error.hint or "") from None
        rows = np.arange(table.records)
        rows[present] = present[partners]
        columns[name] = column.take(rows)
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


def _pairs(table: WorkingTable, step: Step, draws: Draws) -> npt.NDArray[np.int64]:
    strata = table.classes(step["strata"]).number if step["strata"] else None
    try:
        return random_swap_rows(step["share"], draws.uniforms("pairs", table.draw_rows), strata)
    except DivulgeError as error:
        raise step.error("share", error.message, error.hint or "") from None


def _swapped(table: WorkingTable, step: Step, rows: npt.NDArray[np.int64]) -> WorkingTable:
    return table.with_columns({name: table.column(name).take(rows) for name in step.attributes})
