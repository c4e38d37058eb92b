"""Why nothing meets a policy: the thresholds that no transformation keeps, and how near one comes."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from divulge._support.small_counts import SMALL
from divulge._support.wording import number, people, percent, share_of
from divulge.anonymization.release import (
    made,
    of_groups_alone,
    recipe_steps,
    release_checks,
    without_identifiers,
)
from divulge.assessment.checks.all_checks import AnyCheck
from divulge.errors import ParameterError, counted
from divulge.generalization.best_first import MOST_NODES
from divulge.generalization.lattice import GeneralizationLattice
from divulge.generalization.search import Certificate
from divulge.generalization.transformations import feasible
from divulge.policy import Policy
from divulge.questions.data import Data
from divulge.recipes.recipe import Recipe
from divulge.table.hierarchy import Hierarchy


def obstacle(
    lattice: GeneralizationLattice,
    policy: Policy,
    certificate: Certificate,
    share: float,
    data: Data,
    hierarchies: Mapping[str, Hierarchy],
) -> ParameterError:
    """The error to raise where no transformation meets a policy, or none was found in time."""
    if not certificate.proved:
        return ParameterError(
            f"No transformation that meets the policy was found in time: {certificate.evaluated:,} of "
            f"{certificate.transformations:,} were evaluated.",
            hint="Give the search more time (--time 10m), or allow more suppression (--suppress 5%).",
        )
    if fewer := _too_few(data, policy):
        return ParameterError(fewer, hint="Take a table with more records, or ask for less.")
    failing = [_near(check) for check in _at_the_top(data, policy, hierarchies)]
    by_counts = not (lattice.criteria.unknown or policy.demands.singled_out or policy.demands.learned)
    held = lattice.table.nodes <= MOST_NODES and not lattice.one_by_one
    least = _least_suppressed(lattice) if by_counts and held else None
    if failing:
        said = f"even at the highest levels, {'; '.join(failing)}"
    elif least is None:
        said = "no release passes the checks of the policy"
    else:
        said = (
            f"its thresholds together would suppress {share_of(least, data.records)} of the records or more"
        )
    return ParameterError(
        f"No transformation meets the policy with {percent(share)} of the records suppressed: {said}.",
        hint=_hint(least, data.records),
    )


def _hint(least: int | None, records: int) -> str:
    """What to try, with the share of records that has to be suppressed at least where that is known."""
    if least == records:
        return "Ask for less: suppressing records does not help."
    enough = "5%" if least is None else f"{min(math.ceil(100 * max(least, SMALL) / records), 100)}%"
    return f"Allow more suppression (--suppress {enough}), ask for less, or give higher levels."


def _at_the_top(data: Data, policy: Policy, hierarchies: Mapping[str, Hierarchy]) -> list[AnyCheck]:
    """The checks that do not pass where every attribute is at its highest level and nothing suppressed."""
    levels = {name: tree.levels for name, tree in hierarchies.items()}
    *steps, _ = recipe_steps(data, policy, hierarchies, levels, leave_out=False)
    steps += without_identifiers(data, policy)
    checks = release_checks(made(data, Recipe.of(steps), keep_order=True).table, policy)
    return [check for check in of_groups_alone(checks) if check.outcome not in ("pass", "warn")]


def _too_few(data: Data, policy: Policy) -> str | None:
    """That groups have to be larger than the whole table, in words; None where they need not."""
    held = [one for one in policy.thresholds if one.severity == "fail" and one.measure.name == "k_anonymity"]
    k = max((one.min for one in held if one.min is not None), default=0)
    if data.people >= k:
        return None
    has = counted(data.people, "record") if data.people == data.records else people(data.people)
    return f"No group of {number(k)} can be made, because the table has {has}."


def _near(check: AnyCheck) -> str:
    """How near a check comes to what is required."""
    if check.found is None:
        return check.sentence.rstrip(".")
    return f"{check.name} is {check.found_text} (required: {check.asked})"


def _least_suppressed(lattice: GeneralizationLattice) -> int:
    """The fewest records that a transformation suppresses which meets all else; all where none does."""
    free = replace(lattice, limit=lattice.table.records)
    sums = free.room()
    for _ in free.whole(sums):
        pass
    return int(np.where(feasible(free, sums), sums.suppressed, lattice.table.records).min())
