"""From a table and a policy to the release of least loss: what can be asked, and what is refused."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from divulge._support.stages import Stage, silent, told
from divulge.anonymization.found import Anonymization
from divulge.anonymization.local import LocalRecoding, local_recoding, value_mapping
from divulge.anonymization.made_hierarchies import made_hierarchy
from divulge.anonymization.obstacles import obstacle
from divulge.anonymization.options import as_seconds, as_share, policy_tables
from divulge.anonymization.release import local_steps, made, passes, recipe_steps, release_checks
from divulge.assessment.roles import with_roles
from divulge.engines.opening import engine_for
from divulge.errors import (
    EmptySource,
    ParameterError,
    PartitionError,
    RecipeError,
    SchemaError,
    counted,
    listing,
)
from divulge.generalization.criteria import criteria_of
from divulge.generalization.encoding import encoded
from divulge.generalization.lattice import GeneralizationLattice
from divulge.generalization.losses import DEFAULT, LossTables, check_weights, loss_named
from divulge.generalization.search import Deadline, search
from divulge.generalization.transformations import Levels
from divulge.mechanisms.working_table import WorkingTable
from divulge.policy import Policy
from divulge.questions.data import Data
from divulge.questions.keywords import ReadKeywords
from divulge.recipes.recipe import Recipe
from divulge.table.hierarchy import Hierarchy

Given = Mapping[str, Any]
NAME = "the recipe of the search"


def anonymize(
    data: object | None = None,
    policy: Policy | Given | str | os.PathLike[str] | None = None,
    *,
    thresholds: Given | None = None,
    k: int | None = None,
    suppress: str | float = 0.0,
    loss: str = DEFAULT,
    weights: Mapping[str, float] | None = None,
    hierarchies: Mapping[str, Hierarchy | str | os.PathLike[str]] | None = None,
    leave_out: bool = False,
    local: bool = False,
    time: str | float | None = None,
    seed: int | None = None,
    keep_order: bool = False,
    stage: Stage = silent,
    **reading: Any,
) -> Anonymization:
    """The release of least loss that meets every threshold of a policy, and how that is known.

    Without a policy, roles come from keywords of ``dv.read`` and thresholds from ``thresholds``, in the shape
    of a policy, or ``k``. Every quasi-identifier goes up the levels of its hierarchy; where none is given one
    is made. Records of groups beyond a threshold are suppressed, up to a share ``suppress`` of them: their
    quasi-identifiers become the mark, or they are left out. ``weights`` say how much attributes count in the
    loss. ``local`` gives every group levels of its own, as fine as the policy allows. ``time`` ends the
    search early, with the best so far.

    >>> table = {"age": [31, 32, 33, 51, 52, 53], "sex": ["f", "m", "f", "m", "f", "m"]}
    >>> found = anonymize(table, k=3, quasi_identifiers=["age", "sex"])
    >>> found.best.classes, found.certificate.proved
    (2, True)
    """
    share = as_share(suppress)
    deadline = Deadline(None if time is None else as_seconds(time))
    stage("Reading")
    held, opened = _opened(data, policy, thresholds, k, hierarchies, reading)
    _refuse(opened, held)
    opened = _in_memory(opened.one_by_one())
    trees, own = hierarchies_of(opened, hierarchies)
    stage("Encoding")
    criteria = criteria_of(held.thresholds, list(trees), opened.schema.sensitive)
    table = encoded(opened, trees, criteria.targets, held.partitions)
    costs = LossTables(loss_named(loss), table, check_weights(weights or {}, table.named))
    lattice = GeneralizationLattice(table, criteria, costs, int(share * table.records + 1e-9))

    def recipe(levels: Levels) -> Recipe:
        steps = recipe_steps(
            opened, held, trees, table.by_name(levels), leave_out=leave_out or not opened.suppressed
        )
        return Recipe.of(steps, name=NAME)

    def accept(levels: Levels) -> bool:
        try:
            return passes(release_checks(made(opened, recipe(levels), keep_order=True).table, held))
        except (EmptySource, RecipeError):  # no record is left to be checked
            return False

    stage("Searching")
    result = search(lattice, accept, deadline=deadline, step=told(stage))
    if not result.best:
        raise obstacle(lattice, held, result.certificate, share)
    stage("Releasing")
    levels = tuple(result.best[0].levels[one.name] for one in table.attributes)
    chosen, finer = recipe(levels), None
    if local:
        finer, chosen = _locally(lattice, levels, opened, held, leave_out=leave_out)
    done = made(opened, chosen, seed=seed, keep_order=keep_order)
    return Anonymization(opened, held, lattice, result, chosen, trees, own, share, done, finer, data)


def _in_memory(data: Data) -> Data:
    """The same data with all columns read once, for the search, its checks and the release."""
    return replace(data, engine=engine_for(WorkingTable.read(data.source)))


def _locally(
    lattice: GeneralizationLattice, levels: Levels, data: Data, policy: Policy, *, leave_out: bool
) -> tuple[LocalRecoding, Recipe]:
    """A local recoding whose release passes the policy, and its recipe."""
    if leave_out or not data.suppressed:
        raise ParameterError(
            "Local recoding marks suppressed records, and does not leave them out.",
            hint="Leave out leave_out, and set a mark with suppressed.",
        )
    finer = local_recoding(lattice, levels)
    mapping = value_mapping(lattice, finer, data, data.suppressed)
    recipe = Recipe.of(local_steps(data, policy, mapping), name=NAME)
    if not passes(release_checks(made(data, recipe, keep_order=True).table, policy)):
        raise ParameterError(
            "A local recoding does not pass the policy, which asks for more than its groups can decide.",
            hint="Search without local recoding.",
        )
    return finer, recipe


def _opened(
    data: object | None,
    policy: Policy | Given | str | os.PathLike[str] | None,
    thresholds: Given | None,
    k: int | None,
    hierarchies: Mapping[str, Any] | None,
    reading: dict[str, Any],
) -> tuple[Policy, Data]:
    """The policy, or one made of what was said, and the data that it opens."""
    asked = dict(thresholds or {})
    if k is not None:
        asked["k_anonymity"] = {"min": k}
    if policy is not None:
        if asked:
            raise ParameterError(
                "Thresholds cannot be given beside a policy, which has them.", hint="Leave one of them out."
            )
        held = policy if isinstance(policy, Policy) else _policy(policy)
        opened, _ = with_roles(data, held, _keywords(reading))
        return held, opened
    if not asked:
        raise ParameterError(
            "Nothing is asked of the release.", hint="Give a policy, or thresholds such as --k 5."
        )
    opened, _ = with_roles(data, None, _keywords(reading))
    return Policy.of(policy_tables(opened, asked, hierarchies or {}), name="the thresholds"), opened


def _policy(given: Given | str | os.PathLike[str]) -> Policy:
    return Policy.of(given) if isinstance(given, Mapping) else Policy.read(given)


def _keywords(reading: dict[str, Any]) -> ReadKeywords:
    found: ReadKeywords = reading  # type: ignore[assignment]
    return found


def _refuse(data: Data, policy: Policy) -> None:
    """Refuse data and policies that the search does not know how to read."""
    if not data.schema.quasi_identifiers:
        raise SchemaError(
            "No attribute is a quasi-identifier, so there is nothing to generalize.",
            hint="Name what an attacker may know: --quasi-identifiers A,B.",
        )
    if data.weights is not None:
        raise ParameterError("The search does not read weights.", hint="Leave weights out of [data].")
    if data.missing != "value":
        raise ParameterError(
            "The search counts missing as a value, and the data say otherwise.",
            hint='Write missing = "value".',
        )
    grouped = [name for name in data.schema.quasi_identifiers if name in policy.partitions]
    if grouped:
        raise ParameterError(
            f"The policy counts {listing(grouped)} in groups, which a release of other groups would not fit.",
            hint="Leave out bins, partition or level, and give a hierarchy.",
        )
    if data.schema.identifiers and data.people < data.records:
        raise ParameterError(
            "Some people have several records, and the search counts records.",
            hint="Keep one record of each person, or give identifiers another role.",
        )


def hierarchies_of(
    data: Data, given: Mapping[str, Any] | None
) -> tuple[dict[str, Hierarchy], tuple[str, ...]]:
    """A hierarchy for each quasi-identifier: given, the policy's, or made; and which were made."""
    for name in given or {}:
        if name not in data.schema.quasi_identifiers and name not in data.schema.sensitive:
            raise PartitionError(
                f"A hierarchy is given for '{name}', which is neither quasi-identifier nor sensitive.",
                hint="Give it a role, or leave the hierarchy out.",
            )
    trees: dict[str, Hierarchy] = {}
    own: list[str] = []
    for name in data.schema.quasi_identifiers:
        if name in (given or {}):
            one = (given or {})[name]
            trees[name] = one if isinstance(one, Hierarchy) else Hierarchy.read(one, attribute=name)
        elif name in data.hierarchies:
            trees[name] = data.hierarchies[name]
        else:
            trees[name] = made_hierarchy(data, name)
            own.append(name)
    return trees, tuple(own)


def shown_hierarchies(trees: Mapping[str, Hierarchy], own: tuple[str, ...], most: int = 12) -> str:
    """Hierarchies as text: how many groups each level has, and some lines of each."""
    lines: list[str] = []
    for name, tree in trees.items():
        groups = ", ".join(counted(len(set(level)), "group") for level in tree.groups)
        source = "made from the values" if name in own else "given"
        lines.append(f"{name} ({source}): {counted(len(tree.values), 'value')}; {groups}")
        rows = zip(tree.values, *tree.groups, strict=True)
        lines += [f"  {';'.join(row)}" for row, _ in zip(rows, range(most), strict=False)]
        if len(tree.values) > most:
            lines.append(f"  ... and {len(tree.values) - most:,} more values")
    return "\n".join([*lines, ""])
