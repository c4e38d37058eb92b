"""Numbers replaced by the mean of a group of records that are alike."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from divulge.errors import DivulgeError, counted
from divulge.mechanisms.algorithms.group_centres import aggregated
from divulge.mechanisms.algorithms.microaggregation import (
    mdav_groups,
    standardized,
    variable_groups,
    within_strata,
)
from divulge.mechanisms.algorithms.optimal_groups import univariate_optimal_groups
from divulge.mechanisms.draws import Draws
from divulge.mechanisms.mechanism import MechanismLaw, Promise, Step, by_table
from divulge.mechanisms.numbers import decimals, number_column, record_numbers
from divulge.mechanisms.parameters import Parameter
from divulge.mechanisms.working_table import WorkingTable
from divulge.table.codes import Codes, narrow
from divulge.table.packing import combinations

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
_MORE_DECIMALS = 2  # a mean of whole numbers is written with so many


@by_table(
    name="microaggregation",
    title="Microaggregation",
    random=False,
    takes="numbers",
    parameters=(
        Parameter("k", "whole number", "Fewest records in a group.", least=2, example="3"),
        Parameter(
            "method",
            "choice",
            "How groups are found: MDAV, groups of varying size (V-MDAV), or the optimum for each attribute "
            "by itself.",
            "mdav",
            choices=("mdav", "variable", "univariate"),
        ),
        Parameter("gamma", "number", "With variable: how readily a group grows.", 0.2, least=0),
        Parameter(
            "centre",
            "choice",
            "What the records of a group are given.",
            "mean",
            choices=("mean", "median", "mode"),
        ),
        Parameter("standardize", "flag", "Whether attributes are brought to the same spread first.", True),
        Parameter("strata", "attributes", "Groups hold records that share these attributes.", ()),
    ),
    laws=frozenset({MechanismLaw.ORDER, MechanismLaw.RECORDS}),
    promises=lambda step: (
        ()
        if step["method"] == "univariate" and len(step.attributes) > 1
        else (Promise("k", step["k"], ", ".join(step.attributes)),)
    ),
    promise="k on its attributes: at least so many records share their values (not with the method "
    "univariate on several attributes)",
    example="ages 20, 22, 24 with k = 3: 22, 22, 22",
    reference="domingoferrer2005",
)
def microaggregation(table: WorkingTable, step: Step, draws: Draws) -> WorkingTable:
    """Put records that are alike into groups of at least k, and give each the mean of its group.

    MDAV forms groups of k around the records furthest from the middle. The method univariate takes each
    attribute by itself and loses the least sum of squares there, but several attributes together may then
    distinguish records. Records with missing values are grouped with those that miss the same.
    """
    if step["k"] > table.records:
        few = counted(table.records, "record")
        raise step.error("k", f"k is {step['k']}, and the table has {few}.", "Take a smaller k.")
    numbers = np.column_stack([record_numbers(table.column(name), name, step) for name in step.attributes])
    strata = _strata(table, numbers, step)
    ties = table.classes(table.attributes).number  # records that are alike may change places
    singly = step["method"] == "univariate"
    parts = [[place] for place in range(len(step.attributes))] if singly else [range(len(step.attributes))]
    columns = {}
    for part in parts:
        groups = _groups(numbers[:, list(part)], strata, ties, step)
        for place in part:
            name = step.attributes[place]
            columns[name] = _released(table.column(name), numbers[:, place], groups, step)
    return table.with_columns(columns)


def _strata(table: WorkingTable, numbers: Floats, step: Step) -> Integers:
    """Records that may be in one group: alike in the strata, and missing the same attributes."""
    held = [table.column(name) for name in step["strata"]]
    given = [(one.codes, one.cardinality) for one in held]
    missing = [(np.isnan(side).astype(np.int64), 2) for side in numbers.T]
    return combinations([*given, *missing], table.records).number


def _groups(numbers: Floats, strata: Integers, ties: Integers, step: Step) -> Integers:
    k = step["k"]
    # What is missing is missing in the whole stratum, so that any number will do for it.
    points = np.nan_to_num(numbers, nan=0.0)
    points = standardized(points) if step["standardize"] else points
    ways: dict[str, Callable[[Integers], Integers]] = {
        "mdav": lambda rows: mdav_groups(points[rows], k, tie_order=ties[rows]),
        "variable": lambda rows: variable_groups(points[rows], k, step["gamma"], tie_order=ties[rows]),
        "univariate": lambda rows: univariate_optimal_groups(points[rows, 0], k, tie_order=ties[rows]),
    }
    try:
        return within_strata(ways[step["method"]], strata, k)
    except DivulgeError as error:
        hint = error.hint or "Take a smaller k."
        if np.isnan(numbers).any():
            hint += " Records with missing values are grouped by themselves."
        raise step.error("k", error.message, hint) from None


def _released(column: Codes, numbers: Floats, groups: Integers, step: Step) -> Codes:
    if step["centre"] == "mode":
        codes = aggregated(column.codes.astype(np.int64), groups, "mode")
        return Codes(narrow(codes, len(column.values)), column.values)
    found = aggregated(np.nan_to_num(numbers, nan=0.0), groups, step["centre"])
    places = decimals(column.values) + _MORE_DECIMALS
    return number_column(np.where(np.isnan(numbers), np.nan, found), column, places)
