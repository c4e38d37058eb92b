"""From a table and a policy to the release of least loss: what can be asked, and what is refused."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from divulge._support.stages import Stage, silent, told
from divulge.alignment.elsewhere import stays
from divulge.anonymization.found import Anonymization
from divulge.anonymization.in_place import condensed_or_there
from divulge.anonymization.inputs import (
    asked_loss,
    check_countable,
    counted_data,
    need_losses,
    person_of,
    plainly_counted,
    predicted_target,
    refuse_named,
    refuse_staying,
    searched_attributes,
    unlisted_rows,
)
from divulge.anonymization.local import (
    LocalKind,
    LocalRecoding,
    accepted_recoding,
    check_local_loss,
    local_recodings,
    suppressing_cells,
    value_mapping,
)
from divulge.anonymization.made_hierarchies import made_hierarchy
from divulge.anonymization.obstacles import obstacle
from divulge.anonymization.options import as_seconds, as_share, policy_tables
from divulge.anonymization.release import (
    any_group,
    local_step,
    made,
    of_groups_alone,
    passes,
    people_checks,
    recipe_steps,
    release_checks,
    suppressed_values_fail,
    with_removal,
    without_identifiers,
    without_suppressed,
)
from divulge.assessment.provenance import provenance, utc_now
from divulge.assessment.roles import with_roles
from divulge.engines.opening import engine_for
from divulge.errors import (
    EmptySource,
    ParameterError,
    PartitionError,
    RecipeError,
    counted,
)
from divulge.generalization.criteria import criteria_of
from divulge.generalization.deadline import Deadline
from divulge.generalization.encoding import encoded
from divulge.generalization.lattice import GeneralizationLattice
from divulge.generalization.losses import DEFAULT, LossTables, check_weights
from divulge.generalization.search import search
from divulge.generalization.transformations import Levels
from divulge.mechanisms.working_table import WorkingTable
from divulge.policy import Policy
from divulge.questions.data import Data
from divulge.questions.keywords import ReadKeywords
from divulge.recipes.recipe import Recipe
from divulge.source.options import SUPPRESSED
from divulge.table.hierarchy import Hierarchy
from divulge.utility import as_needs

Given = Mapping[str, Any]
NAME = "the recipe of the search"
_WAYS: dict[bool | str, LocalKind | None] = {
    False: None,
    True: "levels",
    "levels": "levels",
    "mondrian": "numbers",
}


def anonymize(
    data: object | None = None,
    policy: Policy | Given | str | os.PathLike[str] | None = None,
    *,
    thresholds: Given | None = None,
    k: int | None = None,
    suppress: str | float = 0.0,
    loss: str = DEFAULT,
    weights: Mapping[str, float] | None = None,
    needs: Any = None,
    predict: str | None = None,
    hierarchies: Mapping[str, Hierarchy | str | os.PathLike[str]] | None = None,
    leave_out: bool = False,
    local: bool | str = False,
    suppress_cells: bool = False,
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
    loss. ``needs``, a need.toml, go with the loss ``need``, and ``predict``, an attribute that is to be
    predicted, with ``classification``. ``local`` gives every group levels of its own, as fine as the policy
    allows, and ``local="mondrian"`` cuts numbers in two where they lie. ``suppress_cells`` suppresses single
    cells in place of records, up to a share ``suppress`` of them. ``time`` ends the search early, with the
    best so far.

    >>> table = {"age": [31, 32, 33, 51, 52, 53], "sex": ["f", "m", "f", "m", "f", "m"]}
    >>> found = anonymize(table, k=3, quasi_identifiers=["age", "sex"])
    >>> found.best.classes, found.certificate.proved
    (2, True)
    """
    share, way = as_share(suppress), _way(local, suppress_cells=suppress_cells)
    deadline = Deadline(None if time is None else as_seconds(time))
    date = utc_now()
    stage("Reading")
    held, opened, tables, proposed = _opened(data, policy, thresholds, k, hierarchies, reading)
    if way is not None and (leave_out or not opened.suppressed):
        what = "Suppressing cells" if way == "cells" else "Local recoding"
        raise ParameterError(
            f"{what} marks suppressed records, and does not leave them out.",
            hint="Do not give --leave-out, and give a mark with --suppressed TEXT.",
        )
    check_countable(opened, held)
    made_from = provenance(date, [("original", opened)], held, stage)
    wanted = [] if needs is None else as_needs(needs)
    whole, there = opened, None
    if stays(whole):
        refuse_staying(whole, local=way is not None, keep_order=keep_order)
        refuse_named(whole, held)
        read = [name for need in wanted for name in (*need.keys, need.target)]
        names = searched_attributes(whole, held, [*read, *([] if predict is None else [predict])])
        opened, there = condensed_or_there(whole, names, needs=needs is not None)
    else:
        opened = _in_memory(opened.one_by_one())
        refuse_named(opened, held)
    if held.population is not None:
        held = replace(held, population=held.population.once_drawn(opened.people))
    trees, own = hierarchies_of(opened, hierarchies, opened_at=None if there is None else there.margin)
    stage("Encoding")
    person = person_of(opened)
    criteria = criteria_of(
        held.thresholds,
        list(trees),
        opened.schema.sensitive,
        person=person,
        weighted=opened.weights is not None,
    ).asking(held.demands, list(trees), plainly=plainly_counted(opened, held), suppress=share)
    chosen_loss = asked_loss(loss, needs, predict)
    if way is not None:
        check_local_loss(chosen_loss)
    if predict is None:
        place = -1
    else:
        criteria, place = criteria.also_counting(predicted_target(predict, opened))
    if there is None:
        counted = counted_data(opened, [*criteria.targets, *((need.target,) for need in wanted)])
        table = encoded(counted, trees, criteria.targets, held.partitions)
    else:
        counted, table = opened, there.encoded(trees, criteria.targets, held.partitions)
    costs = LossTables(
        chosen_loss,
        table,
        check_weights(weights or {}, table.named),
        place,
        None if needs is None else need_losses(wanted, counted, table),
    )
    make = GeneralizationLattice if there is None else there.lattice
    lattice = make(table, criteria, costs, int(share * table.records + 1e-9))

    def recipe(levels: Levels) -> Recipe:
        steps = recipe_steps(
            opened,
            held,
            trees,
            table.by_name(levels),
            leave_out=leave_out or not opened.suppressed,
            k=criteria.suppressed_below,
        )
        return Recipe.of([*steps, *without_identifiers(opened, held)], name=NAME)

    def accept(levels: Levels) -> bool:
        if there is None:
            return _accepted(opened, recipe(levels), held)
        return there.accepted(levels, lambda data: _accepted(data, recipe(levels), held))

    stage("Searching")
    result = search(lattice, accept, deadline=deadline, step=told(stage))
    told(stage)(1, 1)  # it may end before all steps are done
    if there is not None:
        result, opened = there.ended(result)
    if not result.best:
        raise obstacle(lattice, held, result.certificate, share, opened, trees)
    stage("Releasing")
    levels = tuple(result.best[0].levels[one.name] for one in table.attributes)
    chosen, finer = recipe(levels), None
    if way is not None:
        stage("Recoding locally")
        gaps = unlisted_rows(opened, trees, result.best[0].levels)
        try:
            finer, found = _locally(
                lattice, levels, (opened, counted), held, way, gaps, deadline, told(stage)
            )
            chosen = chosen if found is None else found
        except KeyboardInterrupt:  # the best so far is the one that recodes all records alike
            result = replace(result, certificate=replace(result.certificate, stopped="interrupt"))
    done = made(opened, chosen, seed=seed, keep_order=keep_order)
    left_out = leave_out or not opened.suppressed
    if not left_out and suppressed_values_fail(done.table, held):
        fewer = without_suppressed(chosen, held, list(trees))
        other = made(opened, fewer, seed=seed, keep_order=keep_order)
        left_out = not suppressed_values_fail(other.table, held) and _accepted(opened, fewer, held)
        chosen, done = (fewer, other) if left_out else (chosen, done)
    if opened.schema.identifiers != whole.schema.identifiers:
        chosen = with_removal(chosen, whole, held)
    return Anonymization(
        opened,
        held,
        lattice,
        result,
        chosen,
        trees,
        own,
        share,
        done,
        finer,
        data,
        provenance=made_from,
        proposed=proposed,
        tables=tables,
        left_out=left_out,
        asked_to_leave_out=leave_out or not opened.suppressed,
        whole=whole,
        seed=seed,
        recoded=there is not None,
    )


def _in_memory(data: Data) -> Data:
    """The same data with all columns read once, for the search, its checks and the release."""
    return replace(data, engine=engine_for(WorkingTable.read(data.source), data.source))


def _way(local: bool | str, *, suppress_cells: bool) -> LocalKind | None:
    """How groups are recoded by themselves; None where all records are recoded alike."""
    if local not in _WAYS:
        raise ParameterError(f"'{local}' is no local recoding.", hint="Choose levels or mondrian.")
    if local and suppress_cells:
        raise ParameterError(
            "Local recoding suppresses no single cells.", hint="Choose one of --local and --suppress-cells."
        )
    return "cells" if suppress_cells else _WAYS[local]


def _locally(
    lattice: GeneralizationLattice,
    levels: Levels,
    tables: tuple[Data, Data],
    policy: Policy,
    way: LocalKind,
    gaps: Mapping[tuple[str, ...], tuple[str, ...]],
    deadline: Deadline,
    step: Callable[[int, int], None],
) -> tuple[LocalRecoding, Recipe | None]:
    """The local recoding of least loss whose release passes the policy, and its recipe.

    None is the recipe of the transformation itself, where no group can be finer. ``tables`` are all records,
    and those in groups; ``gaps`` says what becomes of the others.
    """
    data, counted = tables
    mark = data.suppressed or SUPPRESSED

    def recipe(one: LocalRecoding) -> Recipe:
        mapping = value_mapping(lattice, one, counted, mark, gaps)
        return Recipe.of([local_step(mapping), *without_identifiers(data, policy)], name=NAME)

    def accept(one: LocalRecoding) -> bool:
        return _accepted(data, recipe(one), policy)

    if way == "cells":
        candidates = suppressing_cells(lattice, levels, mark, over=lambda: deadline.over, step=step)
    else:
        candidates = local_recodings(
            lattice, levels, numbers=way == "numbers", over=lambda: deadline.over, step=step
        )
    finer = accepted_recoding(lattice, levels, candidates, accept, way)
    return finer, None if finer.alike else recipe(finer)


def _accepted(data: Data, recipe: Recipe, policy: Policy) -> bool:
    """Whether the release of a recipe passes the checks of a policy, counted by people where these repeat.

    Once identifiers are removed a check counts records; so thresholds must hold before as well.
    """
    try:
        if person_of(data) is not None and not passes(people_checks(data, recipe, policy)):
            return False
        table = made(data, recipe, keep_order=True).table
        if not any_group(table, policy):
            return False
    except (EmptySource, RecipeError):  # no record is left to be checked
        return False
    return passes(of_groups_alone(release_checks(table, policy)))


def _opened(
    data: object | None,
    policy: Policy | Given | str | os.PathLike[str] | None,
    thresholds: Given | None,
    k: int | None,
    hierarchies: Mapping[str, Any] | None,
    reading: dict[str, Any],
) -> tuple[Policy, Data, Given | None, bool]:
    """The policy, or one made of what was said, and the data that it opens.

    Then the tables of a policy that has no file, and whether roles were suggested.
    """
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
        return (
            held.knowing(opened.schema.attributes),
            opened,
            policy if isinstance(policy, Mapping) else None,
            False,
        )
    if not asked:
        raise ParameterError(
            "Nothing is asked of the release.", hint="Give a policy, or thresholds such as --k 5."
        )
    opened, proposed = with_roles(data, None, _keywords(reading))
    tables = policy_tables(opened, asked, hierarchies or {})
    held = Policy.of(tables, name="the thresholds").knowing(opened.schema.attributes)
    return held, opened, tables, proposed is not None


def _policy(given: Given | str | os.PathLike[str]) -> Policy:
    return Policy.of(given) if isinstance(given, Mapping) else Policy.read(given)


def _keywords(reading: dict[str, Any]) -> ReadKeywords:
    found: ReadKeywords = reading  # type: ignore[assignment]
    return found


def hierarchies_of(
    data: Data, given: Mapping[str, Any] | None, opened_at: Callable[[str], Data] | None = None
) -> tuple[dict[str, Hierarchy], tuple[str, ...]]:
    """A hierarchy for each quasi-identifier: given, the policy's, or made; and which were made.

    ``opened_at`` has the values of each attribute, where data do not.
    """
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
            trees[name] = made_hierarchy(data if opened_at is None else opened_at(name), name)
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
