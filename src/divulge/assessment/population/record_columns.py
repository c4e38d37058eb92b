"""What is known of each record beyond the table: people alike, risk, scores and minimal sets."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from divulge.assessment.population.beyond_table import beyond_table
from divulge.assessment.scope import Scope
from divulge.readings.frames import FrameColumn
from divulge.uniques.account import Uniqueness


def beyond_columns(scope: Scope, unsaid: npt.NDArray[np.bool_]) -> dict[str, FrameColumn]:
    """Columns in the order of the table; nothing is said of records that are ``unsaid``.

    Where nothing says what the table is a sample of, there is nothing about people alike outside.
    """
    beyond = beyond_table(scope)
    found, records = beyond.found, scope.data.records
    if found is None or found.sample.times is not None:  # not record by record
        return {}
    rows, unit = found.sample.rows, found.sample.unit_of

    def numbers(values: npt.NDArray[np.float64], missing: npt.NDArray[np.bool_] = unsaid) -> FrameColumn:
        made = np.zeros(records)
        made[rows] = values[unit]
        return FrameColumn(float, made, missing)

    columns = dict[str, FrameColumn]()
    if found.people is not None:
        columns |= {"people": numbers(found.people), "population_risk": numbers(found.risk)}
    if found.household is not None:
        columns["household_risk"] = numbers(found.household_risk)
    special = found.special
    if special is not None:
        not_known = unsaid.copy()
        not_known[rows] |= special.unscored[unit]
        columns["suda_score"] = numbers(special.scores.score, not_known)
        if beyond.declared is not None:
            columns["dis"] = numbers(special.scores.dis, not_known)
        sets = np.full(records, None, object)
        sets[rows] = _minimal_sets(found)[unit]
        columns["minimal_sets"] = FrameColumn(str, sets, unsaid)
    return columns


def _minimal_sets(found: Uniqueness) -> npt.NDArray[np.object_]:
    """The minimal sets of each unit, as A+B; C; None where nothing makes it unique."""
    sets = np.full(found.sample.units, None, object)
    if found.minimal is not None:
        for unit in np.flatnonzero(np.diff(found.minimal.start)).tolist():
            own = found.minimal.of(unit)
            sets[unit] = "; ".join("+".join(found.sample.keys[a] for a in one) for one in own)
    return sets
