"""Records left out by the size of their group, or by what a measure says of it."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from divulge.errors import DivulgeError
from divulge.measures import MEASURES, get
from divulge.mechanisms.draws import Draws
from divulge.mechanisms.mechanism import MechanismLaw, Promise, Step, by_table
from divulge.mechanisms.parameters import Parameter
from divulge.mechanisms.working_table import WorkingTable
from divulge.questions.data import read
from divulge.questions.question import Question

#: What is said where a step would leave nothing.
NO_RECORD = ("no record would be left.", "Recode or remove attributes first, or ask for less.")


def _promises(step: Step) -> tuple[Promise, ...]:
    return () if step["k"] is None else (Promise("k", step["k"], ", ".join(step.attributes)),)


@by_table(
    name="suppress_records",
    title="Record suppression",
    random=False,
    takes="any values",
    parameters=(
        Parameter("k", "whole number", "Groups of fewer records are left out.", None, least=2, example="5"),
        Parameter(
            "measure",
            "text",
            "A measure with a value for each group.",
            None,
            example='"distinct_l_diversity"',
        ),
        Parameter("target", "attribute", "The attribute that the measure is about.", None),
        Parameter("min", "number", "Groups whose value is lower are left out.", None),
        Parameter("max", "number", "Groups whose value is higher are left out.", None),
    ),
    laws=frozenset({MechanismLaw.IDEMPOTENT, MechanismLaw.ORDER}),
    promises=_promises,
    promise="k, where it is given: every group that is left has at least so many records",
    example="k = 5 on ZIP and age: the records of groups of 1 to 4 leave",
    reference="sweeney2002",
)
def suppress_records(table: WorkingTable, step: Step, draws: Draws) -> WorkingTable:
    """Leave out the records of groups that are too small, or whose value of a measure is out of bounds.

    A group shares its values of the attributes. A measure that compares groups with the whole table is read
    again after records left, until no group is out of bounds.
    """
    if (step["k"] is None) == (step["measure"] is None):
        raise step.error(None, "suppress_records needs k or a measure, one of the two.", "Write k = 5.")
    if step["k"] is not None and (step["min"] is not None or step["max"] is not None):
        raise step.error(None, "min and max go with a measure, not with k.", "Leave them out.")
    if step["k"] is not None:
        return _kept(table, table.class_sizes(step.attributes) < step["k"], step)
    while (leaving := _out_of_bounds(table, step)).any():
        table = _kept(table, leaving, step)
    return table


def _kept(table: WorkingTable, leaving: npt.NDArray[np.bool_], step: Step) -> WorkingTable:
    if leaving.all():
        raise step.error(None, *NO_RECORD)
    return table.taking(~leaving)


def _out_of_bounds(table: WorkingTable, step: Step) -> npt.NDArray[np.bool_]:
    low, high, name = step["min"], step["max"], step["measure"]
    if low is None and high is None:
        raise step.error("measure", "the measure has no bound.", "Write min = ... or max = ...")
    if name not in MEASURES:
        raise step.error(
            "measure", f"there is no measure '{name}'.", "List them with: divulge guide measures"
        )
    target = step["target"] or "@record"
    try:
        question = Question(read(table, suppressed=table.mark), tuple(step.attributes), (target,))
        counts = question.classes
        values = get(name).classes(counts)
    except DivulgeError as error:
        raise step.error("measure", error.message, error.hint or "") from None
    outside = np.zeros(len(values), bool)
    if low is not None:
        outside |= values < low
    if high is not None:
        outside |= values > high
    return question.rows_in(outside)
