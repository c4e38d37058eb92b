"""What someone who passes a release on has to know of it: what else is in it, and what is not."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from divulge._support.wording import capitalized, enumerated, records
from divulge.anonymization.inputs import person_of
from divulge.assessment.checks.incomplete_records import NAME as INCOMPLETE
from divulge.assessment.checks.suppressed_records import NAME as SUPPRESSED
from divulge.assessment.checks.table_check import TableCheck
from divulge.assessment.naming import NEARLY_UNIQUE
from divulge.errors import listed_attributes

IDENTIFIERS = "identifiers"  # the check of attributes that name people

if TYPE_CHECKING:
    from divulge.anonymization.found import Anonymization
    from divulge.questions.data import Data


def release_notes(found: Anonymization) -> list[str]:
    """Sentences about the release, the gravest first; none where nothing is to be said."""
    return [
        *_naming(found),
        *_nothing_left(found),
        *_telling(found),
        *_without_role(found),
        *_incomplete(found),
        *_left_out(found),
        *_as_a_group(found),
        *_by_people(found),
        *_idle_limit(found),
        *_ranges(found),
    ]


def _naming(found: Anonymization) -> Iterator[str]:
    """What is in the release and may name people, or leads to a record."""
    for check in found.checks:
        if isinstance(check, TableCheck) and check.measure_name == IDENTIFIERS and check.outcome != "pass":
            yield f"{check.sentence} {check.answer.fix}"


def _nothing_left(found: Anonymization) -> Iterator[str]:
    if (found.best.classes if found.local is None else found.local.groups) <= 1:
        more = "" if found.certificate.stopped is None else "Give the search more time (--time 10m). "
        helps = found.lattice.criteria.of_classes
        allow = (
            f"allow {'more ' if found.suppress else ''}suppression, " if helps or not found.suppress else ""
        )
        yield (
            "The release holds nothing of the quasi-identifiers: all records that are left have the same "
            f"values of them. {more}Ask for less, {allow}or give finer hierarchies."
        )


def _telling(found: Anonymization) -> Iterator[str]:
    """The attributes without a role from which a quasi-identifier follows that the release changes."""
    data, keys = found.original, found.original.schema.quasi_identifiers
    changed = [name for name in keys if found.local is not None or found.best.levels.get(name)]
    starred = found.suppressed_records > 0 and not found.left_out
    as_they_are = [name for name in keys if starred and name not in changed]
    for other in _others(found):
        if 1 < data.summary(other).distinct < NEARLY_UNIQUE * data.records:
            told = [name for name in changed if _tells(data, other, name)]
            hidden = [name for name in as_they_are if _tells(data, other, name)]
        else:
            told, hidden = [], []
        if told or hidden:
            what = [f"{enumerated(told)}, which the release changes"] if told else []
            what += [f"{enumerated(hidden)} of the suppressed records"] if hidden else []
            yield (
                f"{other} has no role, is released unchanged and determines {', and '.join(what)}. "
                f"Make {other} a quasi-identifier as well, or leave it out."
            )


def _tells(data: Data, one: str, other: str) -> bool:
    held = data.at_hand([one, other])
    return held is not None and held.distinct([one, other]) == held.distinct([one])


def _others(found: Anonymization) -> list[str]:
    schema = found.original.schema
    given = {*schema.identifiers, *schema.quasi_identifiers, *schema.sensitive, found.data.weights}
    return [name for name in schema.attributes if name not in given]


def _without_role(found: Anonymization) -> Iterator[str]:
    """The attributes that are released as they are though nobody said what they are."""
    schema = found.original.schema
    if others := _others(found):
        has, give = ("has no role and is", "it") if len(others) == 1 else ("have no role and are", "each")
        yield (
            f"{listed_attributes(others)} {has} released unchanged. Give {give} a role, or leave it "
            "out, where others may know it or it names someone."
        )
    removed = {
        name for step in found.recipe.steps if step.mechanism.name == "remove" for name in step.attributes
    }
    kept = [name for name in schema.identifiers if name not in removed]
    if kept:
        yield f"{listed_attributes(kept)} identify people and are released, as the policy allows."


def _incomplete(found: Anonymization) -> Iterator[str]:
    incomplete = found.data.records - found.lattice.table.records
    if incomplete:
        yield (
            f"{capitalized(records(incomplete, of=found.data.records))} have a missing quasi-identifier. "
            "They are in the release and in no group, so no threshold was held on them. To have them "
            'counted, write missing = "value".'
        )
    for check in found.checks:
        if isinstance(check, TableCheck) and check.measure_name == INCOMPLETE and check.outcome != "pass":
            yield check.sentence


def _left_out(found: Anonymization) -> Iterator[str]:
    if found.left_out and found.suppressed_records:
        said = "The suppressed records are left out of the release"
        why = (
            "as a group they reveal more than the policy allows, and a person who fits no other group is one "
            "of them"
        )
        yield f"{said}." if found.asked_to_leave_out else f"{said}: {why}."


def _as_a_group(found: Anonymization) -> Iterator[str]:
    """What suppressed records have in common, where they are still in the release."""
    for check in found.checks:
        if isinstance(check, TableCheck) and check.measure_name == SUPPRESSED and check.outcome == "warn":
            how = (
                "Allow no suppression"
                if found.local is not None
                else "Leave them out (--leave-out), or allow no suppression"
            )
            yield f"{check.sentence} {how}."


def _by_people(found: Anonymization) -> Iterator[str]:
    person = person_of(found.data)
    if person is not None:
        yield (
            f"Some people have several records (by {enumerated(person)}), so checks count people. Once "
            "identifiers are removed, divulge check counts records."
        )


def _idle_limit(found: Anonymization) -> Iterator[str]:
    if found.suppress and not found.lattice.criteria.of_classes:
        yield (
            "No record can be suppressed: nothing that the policy asks is decided group by group. Add a "
            "threshold of groups, such as k_anonymity = { min = 5 }."
        )


def _ranges(found: Anonymization) -> Iterator[str]:
    if found.local is not None and found.local.ranges is not None and not found.local.alike:
        yield (
            "Ranges of numbers begin and end at values that occur, which may be those of a single person. "
            "--local has groups of a hierarchy instead."
        )
