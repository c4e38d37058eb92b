"""Whose each released record is, where the original has several records of a person and the release none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from divulge.alignment.recognition import IntArray
from divulge.alignment.tables import Alignment
from divulge.assessment.checks.all_checks import AnyCheck
from divulge.assessment.checks.table_check import CheckAnswer, TableCheck
from divulge.assessment.people.people import persons
from divulge.attacks import Outcome
from divulge.attacks.linkage.candidates import ANYTHING, UNKNOWN, SharedAttribute, share
from divulge.source.anatomy import PERSON
from divulge.table.codes import Codes, narrow
from divulge.table.packing import combinations

MOST_KINDS = 1000  # of released records by which values overlap or are suppressed, looked at one by one
OF_GROUPS = ("class_size", "diversity", "closeness")  # families of measures
BY_SIZE = ("prosecutor", "marketer", "journalist")  # attacks
NOT_KNOWN = (
    "the original has several records of a person, and it is not known whose each released record is, so "
    "groups of records are not groups of people; match records (--key, --by)"
)


def by_people(alignment: Alignment) -> tuple[Alignment, str | None]:
    """The alignment whose release says whose each record is, as the original does; or why it cannot.

    An attacker who knows that a person has several records takes them for one. Where records are not
    matched, people are known all the same where each group of released records is all the originals that fit
    it: whichever of them is whose, it is of the same people.
    """
    original, released = alignment.original, alignment.released
    named = original.schema.identifiers
    if not named or released.schema.identifiers or original.people == original.records:
        return alignment, None
    rows = alignment.rows if alignment.rows is not None else _recoded(alignment)
    if rows is None:
        return alignment, NOT_KNOWN
    ours, theirs = rows
    whose = persons(original, named).astype(np.int64)
    number = np.arange(released.records) + whose.max() + 1  # a record that is nobody's is of another person
    number[theirs] = whose[ours]
    _, person = np.unique(number, return_inverse=True)
    people = int(person.max(initial=0)) + 1
    column = Codes(narrow(person + 1, people), range(1, people + 1))
    told = released.replacing(PERSON, column)
    schema = replace(told.schema, identifiers=(PERSON,))
    return replace(alignment, released=told.with_roles(schema)), None


def not_evaluated(checks: Sequence[AnyCheck], why: str) -> list[AnyCheck]:
    """The checks; those of groups that pass, or may hide more, are not evaluated."""
    return [_unknown(one, why) for one in checks]


def _unknown(check: AnyCheck, why: str) -> AnyCheck:
    if check.outcome == "fail":
        return check
    if not isinstance(check, TableCheck):
        return replace(check, found=None, undefined=why) if check.measure.family in OF_GROUPS else check
    if check.measure_name not in ("singled_out", "learned"):
        return check
    said = f"Not evaluated: {why}."
    answer = CheckAnswer("not evaluated", None, None, check.answer.counted, said, undefined=why)
    return replace(check, answer=answer, ask=lambda scope: answer)


def without_groups(readings: dict[str, Any]) -> dict[str, Any]:
    """The readings without those of groups of records, which are not to be set beside groups of people."""
    return readings | dict.fromkeys(("k", "uniqueness", "average_risk"))


def without_people(outcomes: Sequence[Outcome], why: str) -> list[Outcome]:
    """The attacks; those that go by how many records are alike are not measured."""
    return [one.failed(why) if one.attack in BY_SIZE and one.risk is not None else one for one in outcomes]


def _recoded(alignment: Alignment) -> tuple[IntArray, IntArray] | None:
    """Rows that may belong together, where each group of released records is all the originals that fit it.

    Those that show most go first: what they leave is there for the others.
    """
    original, released, schema = alignment.original, alignment.released, alignment.original.schema
    names = [one for one in (*schema.quasi_identifiers, *schema.sensitive) if one in alignment.columns]
    shared = [*share(released, original, {name: alignment.columns[name] for name in names}).values()]
    layers = np.array([one.layers() for one in shared]).T
    kinds, kind = np.unique(layers, axis=0, return_inverse=True)
    if not names or (layers == UNKNOWN).any() or len(kinds) > MOST_KINDS:
        return None
    mine, yours, left = list[IntArray](), list[IntArray](), np.ones(original.records, bool)
    for place in np.argsort((kinds == ANYTHING).sum(axis=1), kind="stable").tolist():
        ours, theirs = np.flatnonzero(left), np.flatnonzero(kind.ravel() == place)
        found = _together(shared, kinds[place].tolist(), ours, theirs)
        if found is None:
            return None
        mine.append(found)
        yours.append(theirs)
        left[found] = False
    return np.concatenate(mine), np.concatenate(yours)


def _together(
    shared: Sequence[SharedAttribute], layers: Sequence[int], ours: IntArray, theirs: IntArray
) -> IntArray | None:
    """Originals for some released records, which lie in the same layers; None where more or fewer fit."""
    columns = []
    for one, layer in zip(shared, layers, strict=True):
        if layer != ANYTHING:
            recoded = one.owner[layer][one.other.codes[ours]]  # a code plus one, 0 for none
            codes = np.concatenate([recoded, one.released.codes[theirs].astype(np.int64) + 1])
            columns.append((codes, one.released.cardinality + 1))
    number = np.zeros(len(ours) + len(theirs), np.int64)
    if columns:
        number = combinations(iter(columns), len(number)).number.astype(np.int64)
    asked = number[len(ours) :]
    fitting = np.flatnonzero(np.isin(number[: len(ours)], asked))
    if len(fitting) != len(theirs):
        return None
    found = np.empty(len(theirs), np.int64)
    mine, yours = fitting[np.argsort(number[fitting], kind="stable")], np.argsort(asked, kind="stable")
    if (number[mine] != asked[yours]).any():
        return None
    found[yours] = ours[mine]
    return found
