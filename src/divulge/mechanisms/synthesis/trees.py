"""Synthetic records, attribute by attribute, from decision trees."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

import numpy as np
import numpy.typing as npt

from divulge.errors import MissingLibrary
from divulge.mechanisms.draws import Draws
from divulge.mechanisms.mechanism import Step, by_table
from divulge.mechanisms.parameters import Parameter
from divulge.mechanisms.transitions import in_canonical_order
from divulge.mechanisms.working_table import WorkingTable
from divulge.table.codes import MISSING, Codes, as_number

Integers = npt.NDArray[np.int64]
_NUMERIC = 20  # different numbers from which on they are predicted as numbers


@by_table(
    name="synthetic_trees",
    title="Synthetic records from trees",
    random=True,
    takes="any values",
    keeps_rows=False,
    parameters=(
        Parameter("leaf", "whole number", "Fewest records in a leaf.", 5, least=1),
        Parameter(
            "records", "whole number", "How many to make. Default: as many as there were.", None, least=1
        ),
    ),
    promise="nothing: a tree can repeat records that it has seen",
    example="age is drawn from all ages, then income from the incomes of a leaf of people of about that age",
    reference="reiter2005",
)
def synthetic_trees(table: WorkingTable, step: Step, draws: Draws) -> WorkingTable:
    """Make records one attribute after the other, in the order in which the step names them.

    The first is drawn from all its values. For each other a tree is grown that predicts it from those
    before, and a value is drawn from the original values in the leaf where a synthetic record falls.
    Attributes that are not named leave.
    """
    if find_spec("sklearn") is None:
        raise MissingLibrary("synthetic records", "scikit-learn", "mining", doing="Making")
    if table.records < step["leaf"]:
        raise step.error("leaf", "the table has fewer records than a leaf.", "Take smaller leaves.")
    count = step["records"] or table.records
    rows = np.arange(count)
    made: dict[str, Codes] = {}
    for name in step.attributes:
        column, chance = in_canonical_order(table.column(name)), draws.uniforms(name, rows)
        if not made:
            donors = np.minimum((chance * table.records).astype(np.int64), table.records - 1)
        else:
            before = [table.column(other) for other in made]
            donors = _donors(column, before, list(made.values()), chance, step["leaf"])
        made[name] = column.take(donors)
    return WorkingTable(made, None, table.mark)


def _donors(
    column: Codes, before: list[Codes], made: list[Codes], chance: npt.NDArray[np.float64], leaf: int
) -> Integers:
    """For each synthetic record an original one of the same leaf."""
    from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

    numbers = _as_numbers(column)
    kind: Any = DecisionTreeClassifier if numbers is None else DecisionTreeRegressor
    tree = kind(min_samples_leaf=leaf, random_state=0)
    tree.fit(_predictors(before), column.codes if numbers is None else numbers)
    leaves = tree.apply(_predictors(before))
    order = np.argsort(leaves, kind="stable")
    starts, sizes = np.unique(leaves[order], return_index=True, return_counts=True)[1:]
    places = np.searchsorted(leaves[order][starts], tree.apply(_predictors(made)))
    within = np.minimum((chance * sizes[places]).astype(np.int64), sizes[places] - 1)
    return np.asarray(order[starts[places] + within], np.int64)


def _predictors(columns: list[Codes]) -> npt.NDArray[np.float64]:
    """Numbers as they are, other values by their rank; missing below all."""
    return np.column_stack([_ranked(one) for one in columns])


def _ranked(column: Codes) -> npt.NDArray[np.float64]:
    numbers = _as_numbers(column, few=True)
    if numbers is not None:
        return numbers
    order = sorted(range(len(column.values)), key=lambda place: str(column.values[place]))
    ranks = np.zeros(column.cardinality)
    ranks[np.asarray(order, np.int64) + 1] = np.arange(1, len(order) + 1)
    return ranks[column.codes]


def _as_numbers(column: Codes, *, few: bool = False) -> npt.NDArray[np.float64] | None:
    """The column as numbers, missing below the least; None where it is not one of numbers, or of a few."""
    used = [code for code in column.used().tolist() if code != MISSING]
    table = np.full(column.cardinality, np.nan)
    table[used] = [as_number(column.values[code - 1]) for code in used]
    if np.isnan(table[used]).any() or (len(used) < _NUMERIC and not few) or not used:
        return None
    table[MISSING] = np.nanmin(table) - 1
    return table[column.codes]
