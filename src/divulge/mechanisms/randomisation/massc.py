"""MASSC: micro agglomeration, substitution, subsampling and calibration, made of other mechanisms."""

from __future__ import annotations

from functools import partial

import numpy as np

from divulge.mechanisms.draws import Draws
from divulge.mechanisms.mechanism import Step, by_table, with_parameters
from divulge.mechanisms.parameters import Parameter
from divulge.mechanisms.randomisation.post_randomisation import pram
from divulge.mechanisms.randomisation.sampling import sample
from divulge.mechanisms.working_table import WorkingTable
from divulge.table.codes import Codes, narrow

_STRATUM = "\x1frisk"  # no attribute of a file is called that
_SUBSTITUTION, _SUBSAMPLING = 10_000, 20_000  # so that both draw from streams of their own


@by_table(
    name="massc",
    title="MASSC",
    random=True,
    takes="few values",
    parameters=(
        Parameter(
            "k", "whole number", "Records in groups of fewer on the attributes are at risk.", 5, least=2
        ),
        Parameter(
            "substitute",
            "number",
            "Share of the records at risk whose values are drawn again.",
            0.2,
            least=0,
            most=1,
            secret=True,
        ),
        Parameter(
            "fraction", "number", "Share of the records that is kept.", 0.8, least=0, most=1, example="0.8"
        ),
        Parameter("calibrate", "attributes", "Weights add up to the original's totals by each of these.", ()),
        Parameter("weight_name", "text", "Attribute that the weights are written to.", "weight"),
    ),
    example="records alone on their keys form a stratum; a fifth of it is changed, and a fifth of all leaves",
    reference="singh2003",
)
def massc(table: WorkingTable, step: Step, draws: Draws) -> WorkingTable:
    """Group records by risk, substitute values of those at risk, subsample all, and calibrate the weights.

    Agglomeration: strata of equal risk, by the size of a record's group on the attributes: alone, below k,
    others. Substitution: invariant post-randomisation of each attribute for the records at risk.
    Subsampling: the same share of every stratum. Calibration: weights raked to the totals before.
    """
    sizes = table.class_sizes(step.attributes)
    stratum = np.where(sizes == 1, 1, np.where(sizes < step["k"], 2, 3))
    risky = sizes < step["k"]
    marked = table.with_columns({_STRATUM: Codes(narrow(stratum, 3), ["alone", "few", "others"])})
    substituted = _substituted(marked, risky, step, draws)
    sampled = sample.apply(
        substituted,
        with_parameters(
            step,
            strata=(_STRATUM,),
            size=None,
            weights=None,
        ),
        Draws(draws.seed, draws.step + _SUBSAMPLING),
    )
    return sampled.without([_STRATUM])


def _substituted(table: WorkingTable, risky: np.ndarray, step: Step, draws: Draws) -> WorkingTable:
    if not risky.any():
        return table
    assert pram.transition is not None
    asked = with_parameters(step, method="invariant", retention=1 - step["substitute"])
    own = Draws(draws.seed, draws.step + _SUBSTITUTION)
    columns = {}
    for name in step.attributes:
        column = table.column(name)
        part = column.take(risky)
        made = pram.transition(part.values, part.frequencies().astype(np.int64), name, asked)
        drawn = made.apply(part, partial(own.uniforms, name, table.draw_rows[risky]))
        back = {str(value): code for code, value in enumerate(column.values, 1)}
        codes = column.codes.astype(np.int64)
        codes[risky] = np.asarray([0, *(back[str(value)] for value in drawn.values)])[drawn.codes]
        columns[name] = Codes(narrow(codes, len(column.values)), column.values)
    return table.with_columns(columns)
