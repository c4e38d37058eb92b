"""The checks on the sheet to be signed: those of the policy, and what an audit of the file finds besides."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from divulge._support.wording import enumerated
from divulge.anonymization.release import policy_scope, release_checks
from divulge.assessment.checks.all_checks import AnyCheck, every_check
from divulge.assessment.roles import with_roles
from divulge.errors import SchemaError
from divulge.explore.scene import Scene
from divulge.mechanisms.working_table import WorkingTable
from divulge.questions.data import Data
from divulge.report.audit.headline import ORDER, headline
from divulge.report.shared.wording import OUTCOMES
from divulge.table.schema import Schema

OF_POLICY, OF_AUDIT = "", "default check of an audit"
OF_SUGGESTED = "default check of an audit, with suggested roles"


@dataclass(frozen=True)
class SheetCheck:
    """A check as the sheet has it, and whose it is where it is not the policy's."""

    told: dict[str, Any]
    of: str = OF_POLICY

    @property
    def row(self) -> tuple[str, str, str]:
        """Title, outcome and finding."""
        title = f"{self.told['title']} ({self.of})" if self.of else str(self.told["title"])
        return title, OUTCOMES[self.told["outcome"]].word, str(self.told["sentence"])


def sheet_checks(scene: Scene, released: WorkingTable) -> list[SheetCheck]:
    """The checks of the policy on a release, and of an audit without a policy what these do not say already.

    The sheet is then never better than what ``divulge audit`` says of the released file.
    """
    found = [SheetCheck(one.to_dict()) for one in release_checks(released, scene.policy)]
    data = scene.policy.open(released)
    for one, of in _of_audits(data, scene):
        told = one.to_dict()
        if told["outcome"] != "pass" and not any(_says(other.told, told) for other in found):
            found.append(SheetCheck(told, of))
    return found


def _of_audits(data: Data, scene: Scene) -> Iterator[tuple[AnyCheck, str]]:
    """The default checks, by the roles of the page and by those that an audit would suggest."""
    policy = scene.policy
    for one in every_check(policy_scope(data, policy), None, called=policy.attributes):
        yield one, OF_AUDIT
    try:
        suggested, _ = with_roles(data.with_roles(Schema(data.schema.attributes)), None, {})
    except SchemaError:  # nothing that an audit would take to be known
        return
    for one in every_check(policy_scope(suggested, policy), None, proposed=True):
        yield one, OF_SUGGESTED


def _says(known: dict[str, Any], other: dict[str, Any]) -> bool:
    """Whether a check that is known says the same as another one, or worse."""
    same = all(known.get(name) == other.get(name) for name in ("measure", "target"))
    return same and ORDER.index(known["outcome"]) <= ORDER.index(other["outcome"])


def worst_outcome(checks: Sequence[SheetCheck]) -> str:
    """The outcome of the worst check."""
    return min((str(one.told["outcome"]) for one in checks), key=ORDER.index)


def sheet_headline(checks: Sequence[SheetCheck], figures: str, unseen: Sequence[str]) -> str:
    """The first sentence of the sheet: what does not pass, or the figures; then what was not checked."""
    if worst_outcome(checks) == "pass":
        first = figures
    else:
        first = f"{headline([one.told for one in checks], from_policy=True)}."
    if not unseen:
        return first
    are = "is released as it is" if len(unseen) == 1 else "are released as they are"
    return f"{first} Not checked: {enumerated(unseen, most=3)} {are}."


def not_passed(checks: Sequence[SheetCheck]) -> list[str]:
    """What does not pass, by outcome, the worst first."""
    said = []
    for outcome in ORDER[:-1]:
        titles = [one.row[0] for one in checks if one.told["outcome"] == outcome]
        if titles:
            said.append(f"{OUTCOMES[outcome].word}: {'; '.join(titles)}.")
    return said
