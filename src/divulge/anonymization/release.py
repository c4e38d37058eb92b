"""The release that a transformation makes: its recipe, and whether it passes the checks of its policy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from divulge.assessment.checks.all_checks import AnyCheck, every_check, of_people
from divulge.assessment.checks.threshold_check import evaluate
from divulge.assessment.scope import Scope
from divulge.mechanisms.value_mapping import CombinationMapping
from divulge.mechanisms.working_table import WorkingTable
from divulge.policy import Policy
from divulge.questions.data import Data
from divulge.recipes.recipe import Recipe
from divulge.recipes.transform import Application, applied
from divulge.source.options import SUPPRESSED
from divulge.table.hierarchy import Hierarchy

ANY = "(any)"  # what the first attribute says where nothing is left of any


def recipe_steps(
    data: Data,
    policy: Policy,
    hierarchies: Mapping[str, Hierarchy],
    levels: Mapping[str, int],
    *,
    leave_out: bool,
) -> list[dict[str, Any]]:
    """The steps of a transformation: attributes recoded, then records suppressed."""
    steps: list[dict[str, Any]] = [
        {"mechanism": "recode", "attributes": [name], "hierarchy": hierarchies[name], "level": level}
        for name, level in levels.items()
        if level
    ]
    mark = data.suppressed or SUPPRESSED
    if all(level and set(hierarchies[name].groups[level - 1]) == {mark} for name, level in levels.items()):
        # A record of which all is suppressed is in no group; here all are in one, and one attribute says so.
        first = next(iter(levels))
        steps.append({"mechanism": "groups", "attributes": [first], "groups": {ANY: [mark]}})
    last = {"mechanism": "suppress_groups", "attributes": list(levels), "policy": policy}
    return [*steps, {**last, "leave_out": True} if leave_out else last]


def local_step(mapping: CombinationMapping) -> dict[str, Any]:
    """The step of a local recoding."""
    return {"mechanism": "recode_combinations", "attributes": list(mapping.attributes), "mapping": mapping}


def without_identifiers(data: Data, policy: Policy) -> list[dict[str, Any]]:
    """The last step, which removes identifiers: until then they say whose records are whose."""
    allowed = policy.demands.allowed if policy.demands.identifiers == "fail" else data.schema.identifiers
    named = [name for name in data.schema.identifiers if name not in allowed]
    return [{"mechanism": "remove", "attributes": named}] if named else []


def made(data: Data, recipe: Recipe, *, seed: int | None = None, keep_order: bool = False) -> Application:
    """The release that a recipe makes of data."""
    return applied(
        data.source,
        recipe,
        seed=seed,
        keep_order=keep_order,
        mark=data.suppressed or SUPPRESSED,
        missing_values=data.missing_values,
    )


def release_checks(table: WorkingTable, policy: Policy) -> list[AnyCheck]:
    """The checks of a policy on a release, as ``divulge check`` makes them."""
    return policy_checks(policy.open(table), policy)


def policy_checks(data: Data, policy: Policy) -> list[AnyCheck]:
    """The checks of a policy on data."""
    return every_check(Scope(data, policy.partitions, population=policy.population), policy)


def people_checks(data: Data, recipe: Recipe, policy: Policy) -> list[AnyCheck]:
    """The checks that count people, on a release whose identifiers are still there."""
    kept = [step for step in recipe.given["step"] if step["mechanism"] != "remove"]
    table = made(data, Recipe.of(kept, name=recipe.name), keep_order=True).table if kept else data.source
    scope = Scope(policy.open(table), policy.partitions, population=policy.population)
    return [*of_people(policy.demands, scope), *evaluate(policy.thresholds, scope)]


def passes(checks: Sequence[AnyCheck]) -> bool:
    """Whether every check was evaluated and none fails."""
    return all(check.outcome in ("pass", "warn") for check in checks)
