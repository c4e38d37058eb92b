"""The changes of a plan as steps of a recipe, which make the release that the plan speaks of."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from divulge._support.toml_text import in_comment
from divulge._support.wording import enumerated
from divulge.assessment.checks.all_checks import AnyCheck
from divulge.assessment.checks.table_check import TableCheck
from divulge.assessment.remedies.changes import MECHANISM, Change, dropped
from divulge.assessment.remedies.groupings import Coarsening, groupings
from divulge.assessment.remedies.trial import Trial
from divulge.assessment.scope import Scope
from divulge.errors import counted
from divulge.mechanisms.working_table import rows_checksum
from divulge.recipes.draft import missing_line, step_text
from divulge.table.partition import Bins

_HEAD = """\
# What the audit of {source} proposes, as a recipe.
# Make the release with: divulge transform {source} --recipe {name} --out released.csv
# It is about the rows that the table has now: make the recipe again when the table changes.
{still_open}format = 1"""


def needs_records(changes: Sequence[Change]) -> bool:
    """Whether single records are changed, which a file has to list."""
    return any(MECHANISM[change.action] == "listed_changes" for change in changes)


def recipe_steps(
    scope: Scope, changes: Sequence[Change], records: str | None, named: Collection[str] = ()
) -> list[dict[str, Any]]:
    """The steps that make of a table what changes would make of it; ``records`` is the file that lists rows.

    Of several changes to one attribute the last says all. Attributes that name people leave first. What a
    policy names stays as a column of marks, so that the release can be checked under the same policy.
    """
    out = {name for change in changes for name in change.attributes}
    people = _people(scope, changes)
    marked = [name for name in scope.keys if name in out and name in named and _markable(scope, name)]
    last = {
        change.attribute: change
        for change in changes
        if change.attribute is not None and change.attribute not in out and change.action != "cells"
    }
    steps = [_coarser(scope, name, change) for name, change in last.items()]
    gone = [*people, *(name for name in scope.data.schema.attributes if name in out and name not in marked)]
    if marked:
        mark = scope.data.suppressed
        steps.insert(
            0, {"mechanism": "groups", "attributes": marked, "groups": {mark: [mark]}, "others": mark}
        )
    if gone:
        steps.insert(0, {"mechanism": "remove", "attributes": gone})
    if records is not None and needs_records(changes):
        source = scope.data.one_by_one().source
        checksum = rows_checksum(source.encode(source.attributes))
        steps.append({"mechanism": "listed_changes", "records": records, "checksum": checksum})
    return steps


def _people(scope: Scope, changes: Sequence[Change]) -> list[str]:
    """The identifiers that changes do not leave out, and steps do."""
    out = {name for change in changes for name in change.attributes}
    return [name for name in scope.data.schema.identifiers if name not in out]


def still_open(scope: Scope, checks: Sequence[AnyCheck], changes: Sequence[Change]) -> str | None:
    """Which checks do not pass on what steps make of a table, and which gaps are left; None if all pass."""
    now, people = scope, _people(scope, changes)
    for change in (*([dropped(*people)] if people else ()), *changes):
        now = change.apply(now)
    trial = Trial(scope, checks)
    ends = [(one, _outcome(one, now) if trial.reaches(one, now) else one.outcome) for one in checks]
    open_ = [f"{one.name} ({end})" for one, end in ends if end != "pass"]
    if not open_:
        return None
    of = f"{len(open_)} of {counted(len(checks), 'check')}"
    said = f"{of} {'does' if len(open_) == 1 else 'do'} not pass: {enumerated(open_, most=len(open_))}"
    return ". ".join([said, *(gap.removesuffix(".") for gap in trial.gaps(now).values())])


def _outcome(check: AnyCheck, scope: Scope) -> str:
    if isinstance(check, TableCheck):
        return check.ask(scope).outcome
    found = check.again(scope)
    return "pass" if check.holds(found) else "not evaluated" if found is None else check.severity


def _markable(scope: Scope, attribute: str) -> bool:
    """Whether all values of an attribute can become the mark: a missing one would stay missing."""
    found = scope.data.summary(attribute)
    return scope.data.suppressed is not None and found.present == scope.data.records


def recipe_text(
    source: str,
    name: str,
    steps: Sequence[Mapping[str, Any]],
    missing_values: Collection[str] = (),
    not_passed: str | None = None,
) -> str:
    """The steps as a recipe; ``not_passed`` says which checks do not pass after them."""
    said = "" if not_passed is None else f"# After these steps {in_comment(' '.join(not_passed.split()))}.\n"
    told = {"source": in_comment(source), "name": in_comment(name), "still_open": said}
    head = f"{_HEAD.format(**told)}{missing_line(missing_values)}"
    return "\n\n".join([head, *map(step_text, steps)]) + "\n"


def _coarser(scope: Scope, attribute: str, change: Change) -> dict[str, Any]:
    """An attribute's values in the groups of a change."""
    asked = (change.action, change.level, change.detail)
    ways = groupings(scope, attribute)
    way = next(one for one in ways if (one.action, one.level, one.detail) == asked)
    known = _by_name(way, scope.data.hierarchies[attribute].path if way.level is not None else None)
    if known is None:
        groups = {name: list(values) for name, values in way.partition.domains.items()}
        known = {"mechanism": "groups", "groups": groups}
    return {"mechanism": known.pop("mechanism"), "attributes": [attribute], **known}


def _by_name(way: Coarsening, path: str | None) -> dict[str, Any] | None:
    """The step by the mechanism made for it; None where values have to be listed."""
    odd = any(name.endswith(" itself") for name in way.partition.domains)
    if way.level is not None:
        return None if path is None else {"mechanism": "recode", "hierarchy": path, "level": way.level}
    if isinstance(way.partition, Bins):
        return {"mechanism": "intervals", "edges": list(way.partition.edges)}
    if way.action == "dates" and not odd:
        return {"mechanism": "dates", "unit": way.detail}
    if way.action == "prefix" and not odd:
        return {"mechanism": "prefix", "keep": way.detail, "fill": ""}
    return None
