"""Records suppressed where their group is beyond a threshold of a policy."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from divulge.counting.counts import RECORD
from divulge.errors import DivulgeError
from divulge.mechanisms.draws import Draws
from divulge.mechanisms.mechanism import MechanismLaw, Promise, Step, by_table
from divulge.mechanisms.parameters import Parameter
from divulge.mechanisms.suppression.records import NO_RECORD
from divulge.mechanisms.working_table import WorkingTable
from divulge.policy import Policy, Threshold
from divulge.questions.data import Data
from divulge.questions.question import Question

#: Measures that hold for a table when they hold for each of its groups.
OF_GROUPS = (
    *("k_anonymity", "distinct_l_diversity", "entropy_l_diversity", "entropy_l_diversity_risk"),
    *("recursive_cl_diversity", "alpha_k_anonymity", "worst_posterior", "t_closeness", "delta_disclosure"),
    *("beta_likeness", "kl_closeness"),
)


def of_groups(threshold: Threshold, keys: tuple[str, ...]) -> bool:
    """Whether a threshold is decided group by group, by the keys that a step is about."""
    if threshold.adjusted or not (threshold.keys is None or set(threshold.keys) == set(keys)):
        return False
    kind = threshold.parameters.get("kind")
    name = threshold.measure.name
    if name == "reidentification_risk":
        return kind != "average"
    return name in OF_GROUPS or (name == "attacker_error" and kind == "worst")


def _promises(step: Step) -> tuple[Promise, ...]:
    sizes = [one.min for one in _held(step) if one.measure.name == "k_anonymity" and one.min is not None]
    sizes += [] if step["k"] is None else [step["k"]]
    about = ", ".join(step.attributes) + ("" if step["leave_out"] else "; wholly suppressed records aside")
    return (Promise("k", max(sizes), about),) if sizes else ()


@by_table(
    name="suppress_groups",
    title="Suppression by a policy",
    random=False,
    takes="any values",
    parameters=(
        Parameter(
            "policy",
            "policy",
            "The policy whose thresholds every group has to meet.",
            example='"divulge.toml"',
        ),
        Parameter("leave_out", "flag", "Whether the records are left out instead.", False),
        Parameter(
            "k",
            "whole number",
            "Groups of fewer records are suppressed as well.",
            None,
            least=2,
            example="3",
        ),
    ),
    laws=frozenset({MechanismLaw.ORDER}),
    promises=_promises,
    promise="k, where the policy asks for it: every group that is left has at least so many records",
    example="k_anonymity = { min = 5 }: the keys of records in groups of 1 to 4 become *",
    reference="sweeney2002",
)
def suppress_groups(table: WorkingTable, step: Step, draws: Draws) -> WorkingTable:
    """Suppress all attributes of the step in records whose group is beyond a threshold of a policy.

    A group shares its values of the attributes. Every threshold that is decided group by group counts: k, l,
    t and the like, not averages. With ``k``, groups of fewer records count too. Groups are compared with the
    table as it is when the step begins. The other attributes of a record stay as they are, unless the record
    is left out.
    """
    beyond = beyond_policy(table, step)
    if not beyond.any():
        return table
    if beyond.all():
        raise step.error(None, *NO_RECORD)
    if step["leave_out"]:
        return table.taking(~beyond)
    for name in step.attributes:
        table = table.starring(name, beyond)
    return table


def beyond_policy(table: WorkingTable, step: Step) -> npt.NDArray[np.bool_]:
    """The rows in groups that a threshold of the step's policy does not hold for, or that are too small."""
    try:
        data = replace(step["policy"].open(table), suppressed=None)
        found = [_smaller(data, step)] if step["k"] else []
        for threshold in _held(step):
            found += [_beyond(threshold, target, data, step) for target in _targets(threshold, data)]
    except DivulgeError as error:
        raise step.error("policy", error.message, error.hint or "") from None
    none = np.zeros(len(table.columns[step.attributes[0]].codes), bool)
    return np.logical_or.reduce([none, *found])


def _smaller(data: Data, step: Step) -> npt.NDArray[np.bool_]:
    """The rows in groups of fewer records than the step asks for; what the policy leaves out is in none."""
    question = Question(data, step.attributes, (RECORD,))
    return question.rows_in(question.classes.members < step["k"])


def least_size(step: Step) -> int | None:
    """How many records a group has to have, where nothing else is asked of it; None where more is."""
    held = _held(step)
    if any(one.measure.name != "k_anonymity" or one.min is None or one.target is not None for one in held):
        return None
    return max([math.ceil(one.min or 0) for one in held] + [step["k"] or 0])


def _held(step: Step) -> list[Threshold]:
    policy: Policy = step["policy"]
    return [one for one in policy.thresholds if of_groups(one, step.attributes)]


def _targets(threshold: Threshold, data: Data) -> list[tuple[str, ...]]:
    if threshold.target is not None:
        return [threshold.target]
    return [(name,) for name in data.schema.sensitive] if threshold.measure.reads_target else [(RECORD,)]


def _beyond(threshold: Threshold, target: tuple[str, ...], data: Data, step: Step) -> npt.NDArray[np.bool_]:
    """The records in groups that a threshold does not hold for."""
    used = {name: one for name, one in step["policy"].partitions.items() if name in target}
    question = Question(data, step.attributes, target, used)
    values = threshold.measure.classes(question.classes, threshold.parameters)
    return question.rows_in(~np.asarray(threshold.keeps(values)))
