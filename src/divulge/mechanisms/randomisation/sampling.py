"""A random part of the records, with weights that say how many each stands for."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from divulge.mechanisms.draws import Draws
from divulge.mechanisms.mechanism import Step, by_table
from divulge.mechanisms.numbers import record_numbers
from divulge.mechanisms.parameters import Parameter
from divulge.mechanisms.working_table import WorkingTable
from divulge.table.codes import Codes, narrow

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
_ROUNDS = 200
_NEAR = 1e-10


@by_table(
    name="sample",
    title="Sampling",
    random=True,
    takes="records",
    names_attributes=False,
    parameters=(
        Parameter("fraction", "number", "Share of the records that is kept.", least=0, most=1, example="0.1"),
        Parameter("strata", "attributes", "Sample each combination of their values by itself.", ()),
        Parameter("size", "attribute", "Records are drawn in proportion to this attribute.", None),
        Parameter("weights", "attribute", "Attribute with the weights before sampling.", None),
        Parameter(
            "weight_name", "text", "Attribute that the new weights are written to; '' for none.", "weight"
        ),
        Parameter("calibrate", "attributes", "Weights add up to the original's totals by each of these.", ()),
    ),
    example="fraction = 0.1 of 1,000 records: 100 of them, each with weight 10",
    reference="sondeck2017thesis",
)
def sample(table: WorkingTable, step: Step, draws: Draws) -> WorkingTable:
    """Keep a random part of the records, by default each with the same probability.

    A stratum keeps its share of records, rounded, and one at least. With ``size`` a record is drawn in
    proportion to a number (systematically, in a random order). Weights are one over the chance to be drawn,
    times the weight before. ``calibrate`` rakes them until weighted counts by each attribute are those of
    the table before sampling.
    """
    if step["fraction"] == 0:
        raise step.error("fraction", "no record would be left.", "Write a share above 0.")
    refuse_taken(table, step["weight_name"], step, unless=step["weights"])
    before = np.ones(table.records)
    if step["weights"] is not None:
        before = _positive(table, step["weights"], "weights", step)
    chance = np.empty(table.records)
    kept = np.zeros(table.records, bool)
    drawn = draws.uniforms("records", table.draw_rows)
    number = table.classes(step["strata"]).number if step["strata"] else np.zeros(table.records, np.int64)
    sizes = None if step["size"] is None else _positive(table, step["size"], "size", step)
    order = np.argsort(number, kind="stable")
    strata = np.split(order, np.cumsum(np.bincount(number))[:-1])
    starts = draws.uniforms("starts", np.arange(len(strata)))
    for rows, start in zip(strata, starts.tolist(), strict=True):
        here = None if sizes is None else sizes[rows]
        chance[rows], kept[rows] = _stratum(drawn[rows], here, start, step)
    released = table.taking(kept)
    if not step["weight_name"]:
        return released
    weights = before[kept] / chance[kept]
    if step["calibrate"]:
        weights = _calibrated(weights, table, before, kept, step)
    values, codes = np.unique(weights, return_inverse=True)
    return released.with_columns(
        {step["weight_name"]: Codes(narrow(codes + 1, len(values)), values.tolist())}
    )


def _stratum(
    drawn: Floats, sizes: Floats | None, start: float, step: Step
) -> tuple[Floats, npt.NDArray[np.bool_]]:
    """The chance of each record of a stratum to be drawn, and whether it is."""
    count = max(1, min(len(drawn), math.floor(step["fraction"] * len(drawn) + 0.5)))
    kept = np.zeros(len(drawn), bool)
    order = np.argsort(drawn, kind="stable")
    if sizes is None:
        kept[order[:count]] = True
        return np.full(len(drawn), count / len(drawn)), kept
    chance = _in_proportion(sizes, count)
    steps = np.cumsum(chance[order])
    kept[order] = np.floor(steps + start) > np.floor(np.concatenate([[0.0], steps[:-1]]) + start)
    return chance, kept


def _in_proportion(sizes: Floats, count: int) -> Floats:
    """Chances in proportion to sizes that add up to a count; a record that would have more than 1 has 1."""
    sure = np.zeros(len(sizes), bool)
    while True:
        left = max(0, count - int(sure.sum()))
        chance = np.where(sure, 1.0, sizes * left / sizes[~sure].sum() if (~sure).any() else 1.0)
        more = (chance >= 1) & ~sure
        if not more.any():
            return np.asarray(chance)
        sure |= more


def _calibrated(
    weights: Floats, table: WorkingTable, before: Floats, kept: npt.NDArray[np.bool_], step: Step
) -> Floats:
    """Weights raked until they add up to the totals of each attribute (Deming and Stephan)."""
    margins = []
    for name in step["calibrate"]:
        column = table.column(name)
        wanted = np.bincount(column.codes, before, column.cardinality)
        codes = column.codes[kept]
        if np.any((wanted > 0) & (np.bincount(codes, minlength=column.cardinality) == 0)):
            raise step.error(
                "calibrate",
                f"some values of '{name}' are not in the sample.",
                "Use '" + name + "' as strata.",
            )
        margins.append((codes, wanted))
    for _ in range(_ROUNDS):
        worst = 0.0
        for codes, wanted in margins:
            now = np.bincount(codes, weights, len(wanted))
            factor = np.divide(wanted, now, out=np.ones(len(wanted)), where=now > 0)
            weights = weights * factor[codes]
            worst = max(worst, float(np.abs(factor - 1).max()))
        if worst < _NEAR:
            return weights
    raise step.error(
        "calibrate", f"the weights did not settle within {_ROUNDS} rounds.", "Calibrate by fewer attributes."
    )


def refuse_taken(table: WorkingTable, name: str, step: Step, unless: str | None = None) -> None:
    """Refuse to write a new attribute over one that the table has."""
    if name in table.columns and name != unless:
        raise step.error(
            "weight_name",
            f"the table has an attribute '{name}' already, which would be lost.",
            'Choose another name, or write weight_name = "" for none.',
        )


def _positive(table: WorkingTable, attribute: str, key: str, step: Step) -> Floats:
    numbers = record_numbers(table.column(attribute), attribute, step)
    if not (numbers > 0).all():
        raise step.error(
            key, f"'{attribute}' has numbers that are missing or not above 0.", "Every record needs one."
        )
    return numbers
