"""What the checks of names and of gaps say of a release before it is made: what no level changes."""

from __future__ import annotations

from dataclasses import replace

from divulge.anonymization.release import policy_scope, without_identifiers
from divulge.assessment.checks.identifiers import identifiers
from divulge.assessment.checks.measured import lasting_gaps
from divulge.assessment.checks.table_check import CheckAnswer, TableCheck
from divulge.assessment.scope import Scope
from divulge.explore.scene import Scene
from divulge.generalization.transformations import Levels


def naming(scene: Scene, levels: Levels) -> CheckAnswer | None:
    """Which attributes of a release name people; None where only ones that are recoded may."""
    coarser = {one.name for one, level in zip(scene.table.attributes, levels, strict=True) if level}
    found = _naming(scene, frozenset(coarser))
    if found.outcome == "pass" and _naming(scene, frozenset()).outcome != "pass":
        return None
    return found


def surely_named(scene: Scene) -> CheckAnswer:
    """Which attributes name people that no level changes."""
    return _naming(scene, frozenset(scene.table.named))


def names_people(scene: Scene) -> bool:
    """Whether an attribute that no level changes names people, so that every release fails."""
    return surely_named(scene).outcome == "fail"


def gaps_of_table(scene: Scene) -> list[str]:
    """What was not measured of the table, whatever levels are chosen, a sentence each."""
    asked = "gaps", scene.policy.digest
    if asked not in scene.memo:
        scene.memo[asked] = lasting_gaps(scene.policy.demands, _scope(scene), scene.policy.attributes)
    found: list[str] = scene.memo[asked]
    return found


def _naming(scene: Scene, coarser: frozenset[str]) -> CheckAnswer:
    """The check of attributes that name people, those aside that are removed or coarser."""
    asked = "naming", scene.policy.digest, coarser
    if asked not in scene.memo:
        check, scope = _check(scene), _scope(scene)
        removed = {
            name for step in without_identifiers(scene.data, scene.policy) for name in step["attributes"]
        }
        scene.memo[asked] = check.ask(replace(scope, given_up=coarser | removed))
    found: CheckAnswer = scene.memo[asked]
    return found


def _check(scene: Scene) -> TableCheck:
    asked = "names", scene.policy.digest
    if asked not in scene.memo:
        scene.memo[asked] = identifiers(scene.policy.demands, _scope(scene), scene.policy.attributes)
    found: TableCheck = scene.memo[asked]
    return found


def _scope(scene: Scene) -> Scope:
    asked = "scope", scene.policy.digest
    if asked not in scene.memo:
        scene.memo[asked] = policy_scope(scene.data, scene.policy)
    found: Scope = scene.memo[asked]
    return found
