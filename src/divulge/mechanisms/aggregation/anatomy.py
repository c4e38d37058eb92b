"""Anatomy: keys and sensitive values in two tables, joined only by groups."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from divulge._support.wording import number as in_digits
from divulge.mechanisms.draws import Draws
from divulge.mechanisms.mechanism import Promise, Step, by_table
from divulge.mechanisms.parameters import Parameter
from divulge.mechanisms.transitions import in_canonical_order
from divulge.mechanisms.working_table import WorkingTable
from divulge.table.codes import Codes, narrow

Integers = npt.NDArray[np.int64]
SENSITIVE = "sensitive"  # what the second table is called


@by_table(
    name="anatomy",
    title="Anatomy",
    random=True,
    takes="few values",
    beside=(SENSITIVE,),
    parameters=(
        Parameter(
            "l", "whole number", "Fewest different sensitive values in a group.", None, least=2, example="3"
        ),
        Parameter("groups", "attribute", "An attribute that has the groups already, instead of l.", None),
        Parameter("group_name", "text", "Attribute that the groups are written to.", "group"),
        Parameter("count_name", "text", "Attribute of the second table that has the counts.", "count"),
    ),
    promises=lambda step: () if step["l"] is None else (Promise("l", step["l"], ", ".join(step.attributes)),),
    promise="l, where it is given: nobody's sensitive value is more likely than 1 / l by the tables alone",
    example="nine patients in two groups: their keys in one table, the diseases of each group in another",
    reference="xiao2006",
)
def anatomy(table: WorkingTable, step: Step, draws: Draws) -> WorkingTable:
    """Release keys with a group, and in a second table how often each group has each sensitive value.

    Keys stay as they are: a person who is known by them can be found. Groups are made of l records with
    different sensitive values, from the values that are most frequent among the records left; the last
    records join groups that lack their value (Xiao and Tao). Or ``groups`` names an attribute that has them.
    """
    if len(step.attributes) != 1:
        raise step.error(
            "attributes", "anatomy takes one sensitive attribute.", 'Write attributes = ["disease"].'
        )
    if (step["l"] is None) == (step["groups"] is None):
        raise step.error(None, "anatomy needs l or groups, one of the two.", "Write l = 3.")
    [name] = step.attributes
    column = in_canonical_order(table.column(name))
    if step["groups"] is not None:
        number = table.classes([step["groups"]]).number
        kept = table.without([name, step["groups"]])
    else:
        number = _grouped(column, step, draws.uniforms("records", table.draw_rows))
        kept = table.without([name])
    for new in (step["group_name"], step["count_name"]):
        if new in kept.columns:
            raise step.error(None, f"the table has an attribute '{new}' already.", "Choose another name.")
    groups = int(number.max()) + 1
    keys = kept.with_columns({step["group_name"]: _numbers(number, groups)})
    return replace(keys, beside={SENSITIVE: _sensitive(number, column, name, step)})


def _grouped(column: Codes, step: Step, drawn: npt.NDArray[np.float64]) -> Integers:
    """The group of each record, such that each has l different values at least."""
    waiting = {
        code: rows[np.argsort(drawn[rows], kind="stable")].tolist()
        for code in column.used().tolist()
        if len(rows := np.flatnonzero(column.codes == code))
    }
    most = max(map(len, waiting.values()))
    if most * step["l"] > len(drawn):
        share = in_digits(most / len(drawn))
        raise step.error(
            "l",
            f"no groups have {step['l']} different values: a share of {share} of the records has one value.",
            f"l can be at most {len(drawn) // most}.",
        )
    number = np.full(len(drawn), -1, np.int64)
    held: list[set[int]] = []
    while sum(map(bool, waiting.values())) >= step["l"]:
        chosen = sorted(waiting, key=lambda code: (-len(waiting[code]), code))[: step["l"]]
        for code in chosen:
            number[waiting[code].pop()] = len(held)
        held.append(set(chosen))
    for code, rows in waiting.items():
        for row in rows:
            lacking = [place for place, values in enumerate(held) if code not in values]
            place = lacking[int(drawn[row] * len(lacking))]
            number[row] = place
            held[place].add(code)
    return number


def _sensitive(number: Integers, column: Codes, name: str, step: Step) -> WorkingTable:
    """How often each group has each value."""
    pairs, counts = np.unique(number * column.cardinality + column.codes, return_counts=True)
    values, times = np.unique(counts, return_inverse=True)
    return WorkingTable(
        {
            step["group_name"]: _numbers(pairs // column.cardinality, int(number.max()) + 1),
            name: Codes(narrow(pairs % column.cardinality, len(column.values)), column.values),
            step["count_name"]: Codes(narrow(times + 1, len(values)), values.tolist()),
        },
        None,
    )


def _numbers(groups: Integers, many: int) -> Codes:
    return Codes(narrow(groups + 1, many), range(1, many + 1))
