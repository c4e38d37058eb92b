"""The release that a transformation makes: its recipe, and whether it passes the checks of its policy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from divulge.anonymization.in_place import released_there
from divulge.assessment.checks.all_checks import AnyCheck, every_check, of_people
from divulge.assessment.checks.identifiers import identifiers
from divulge.assessment.checks.incomplete_records import NAME as INCOMPLETE
from divulge.assessment.checks.suppressed_records import suppressed_records
from divulge.assessment.checks.table_check import TableCheck
from divulge.assessment.checks.threshold_check import evaluate
from divulge.assessment.scope import Scope
from divulge.counting.counts import RECORD
from divulge.engines.opening import is_elsewhere
from divulge.mechanisms.value_mapping import CombinationMapping
from divulge.mechanisms.working_table import WorkingTable
from divulge.policy import Policy
from divulge.questions.data import Data
from divulge.questions.question import Question
from divulge.recipes.recipe import Recipe
from divulge.recipes.transform import Application, applied
from divulge.source.options import SUPPRESSED
from divulge.table.hierarchy import Hierarchy
from divulge.table.schema import Role, Schema

_WORSE = {"pass": 0, "warn": 1, "not evaluated": 2, "fail": 3}
ANY = "(any)"  # what the first attribute says where nothing is left of any


def recipe_steps(
    data: Data,
    policy: Policy,
    hierarchies: Mapping[str, Hierarchy],
    levels: Mapping[str, int],
    *,
    leave_out: bool,
    k: int = 0,
) -> list[dict[str, Any]]:
    """The steps of a transformation: attributes recoded, then records suppressed.

    With ``k`` these are those of smaller groups too, whatever the thresholds of the policy say.
    """
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
    said = {**({"leave_out": True} if leave_out else {}), **({"k": k} if k else {})}
    return [*steps, {**last, **said}]


def local_step(mapping: CombinationMapping) -> dict[str, Any]:
    """The step of a local recoding."""
    return {"mechanism": "recode_combinations", "attributes": list(mapping.attributes), "mapping": mapping}


def without_suppressed(recipe: Recipe, policy: Policy, attributes: Sequence[str]) -> Recipe:
    """A recipe that leaves suppressed records out, where they are as a group beyond a threshold of groups."""
    last = {
        "mechanism": "suppress_groups",
        "attributes": list(attributes),
        "policy": policy,
        "leave_out": True,
    }
    steps = [dict(step) for step in recipe.given["step"]]
    if any(step["mechanism"] == "suppress_groups" for step in steps):
        return Recipe.of(
            [
                {**step, "leave_out": True} if step["mechanism"] == "suppress_groups" else step
                for step in steps
            ],
            name=recipe.name,
        )
    place = next((at for at, one in enumerate(steps) if one["mechanism"] == "remove"), len(steps))
    return Recipe.of([*steps[:place], last, *steps[place:]], name=recipe.name)


def suppressed_values_fail(table: WorkingTable, policy: Policy) -> bool:
    """Whether the suppressed records of a release, as a group, reveal more of a value than its policy allows.

    That they are fewer than a group has to be is left to the check, which warns of it.
    """
    about_values = [one for one in policy.thresholds if one.measure.reads_target]
    demands = replace(policy.demands, singled_out=())
    scope = policy_scope(policy.open(table), policy)
    return any(check.outcome != "pass" for check in suppressed_records(demands, about_values, scope))


def without_identifiers(data: Data, policy: Policy) -> list[dict[str, Any]]:
    """The last step, which removes identifiers: until then they say whose records are whose."""
    allowed = policy.demands.allowed if policy.demands.identifiers == "fail" else data.schema.identifiers
    named = [name for name in data.schema.identifiers if name not in allowed]
    return [{"mechanism": "remove", "attributes": named}] if named else []


def with_removal(recipe: Recipe, whole: Data, policy: Policy) -> Recipe:
    """A recipe that removes all identifiers of a table, of which those at hand may be fewer."""
    kept = [step for step in recipe.given["step"] if step["mechanism"] != "remove"]
    return Recipe.of([*kept, *without_identifiers(whole, policy)], name=recipe.name)


def others_named(
    checks: Sequence[AnyCheck], whole: Data, here: Sequence[str], policy: Policy
) -> list[AnyCheck]:
    """The checks of a release, with what attributes that are released as they are and stayed may name."""
    others = tuple(
        name for name in whole.schema.attributes if name not in here and whole.schema.role(name) is Role.OTHER
    )
    if not others:
        return list(checks)
    rest = policy_scope(whole.with_roles(Schema(others)), policy)
    found = identifiers(policy.demands, rest, policy.attributes)
    return [
        found if one.name == found.name and _WORSE[found.outcome] > _WORSE.get(one.outcome, 3) else one
        for one in checks
    ]


def made(data: Data, recipe: Recipe, *, seed: int | None = None, keep_order: bool = False) -> Application:
    """The release that a recipe makes of data; of records that stay where they are, it is there as well."""
    if is_elsewhere(data.source):
        return released_there(data, recipe, seed)
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


def any_group(table: WorkingTable, policy: Policy) -> bool:
    """Whether a record of a release is in a group, so that checks have something to count."""
    data = policy.open(table)
    return Question(data, data.schema.quasi_identifiers, (RECORD,)).records > 0


def policy_checks(data: Data, policy: Policy) -> list[AnyCheck]:
    """The checks of a policy on data."""
    return every_check(policy_scope(data, policy), policy)


def policy_scope(data: Data, policy: Policy) -> Scope:
    """What the checks of a policy read of data."""
    return Scope(data, policy.partitions, population=policy.population)


def people_checks(data: Data, recipe: Recipe, policy: Policy) -> list[AnyCheck]:
    """The checks that count people, on a release whose identifiers are still there."""
    scope = policy_scope(policy.open(with_identifiers(data, recipe)), policy)
    return [*of_people(policy.demands, scope), *evaluate(policy.thresholds, scope)]


def with_identifiers(data: Data, recipe: Recipe) -> Any:
    """The release of a recipe whose identifiers are still there."""
    kept = [step for step in recipe.given["step"] if step["mechanism"] != "remove"]
    return made(data, Recipe.of(kept, name=recipe.name), keep_order=True).table if kept else data.source


def of_groups_alone(checks: Sequence[AnyCheck]) -> list[AnyCheck]:
    """The checks that a search can meet: records dropped for a missing value are in no group of its."""
    return [one for one in checks if not isinstance(one, TableCheck) or one.measure_name != INCOMPLETE]


def passes(checks: Sequence[AnyCheck]) -> bool:
    """Whether every check was evaluated and none fails."""
    return all(check.outcome in ("pass", "warn") for check in checks)
