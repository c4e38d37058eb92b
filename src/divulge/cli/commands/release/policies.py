"""The commands for rules of a dataset: they are listed, proposed and approved, over HTTP."""

from __future__ import annotations

import sys
from typing import Any

from divulge._support.wording import aligned, many, number
from divulge.cli.commands.release.calls.service_calls import answer_to, proved_answer, question_to
from divulge.cli.requests.release import ApproveRequest, PoliciesRequest, ProposeRequest
from divulge.documents import as_json as written
from divulge.errors import ParameterError

CHOICES = ("alpha", "familywise", "form", "known_counts", "degrees", "merging", "samples")
OPTIONAL = ("limits", "approvals", "open_days")  # what is not said is left to the service


def run_policies(asked: PoliciesRequest) -> None:
    found = answer_to(question_to(asked, "policies"))
    if asked.as_json:
        sys.stdout.write(written(found))
        return
    head = ["version", "status", "tests", "proposed by", "approved by", "open until"]
    print(*aligned(head, [_row(one) for one in found["policies"]]), sep="\n")


def _row(one: dict[str, Any]) -> list[str]:
    rules = one["rules"]
    approved = ", ".join(one["approvals"]) or one["approved_by"]
    if one["status"] == "proposed" and one["approvals_needed"]:
        progress = f"{many(len(one['approvals']))} of {many(one['approvals_needed'])}"
        approved = f"{approved} ({progress})" if approved else progress
    until = one["expires"][:10] if one["expires"] and one["status"] in ("proposed", "expired") else "-"
    tests = f"{','.join(rules['tests'])} at {number(rules['alpha'])}"
    return [str(one["version"]), one["status"], tests, one["proposed_by"], approved or "-", until]


def run_propose(asked: ProposeRequest) -> None:
    if not asked.tests:
        raise ParameterError("Name the tests to pass.", hint="For example: --test mis,kld")
    tests = [name.strip() for given in asked.tests for name in given.split(",")]
    body = {"tests": tests, **{name: getattr(asked, name) for name in CHOICES}}
    body |= {name: value for name in OPTIONAL if (value := getattr(asked, name)) is not None}
    answer = proved_answer(
        asked, lambda since: question_to(asked, "policies", "POST", body, since=since), again=False
    )
    if asked.as_json:
        sys.stdout.write(written(answer))
        return
    trial, needed = answer["dry_run"], answer["approvals_needed"]
    who = "1 other person" if needed == 1 else f"{many(needed)} other persons"
    print(f"Version {answer['version']} is proposed. {who} can approve it until {answer['expires'][:10]}.")
    limits = "be within the limits" if trial["within_limits"] else "exceed a limit"
    print(
        f"With these rules now, {many(trial['would_leave'])} of {many(trial['waiting'])} waiting requests "
        f"would be released. The released records would {limits}."
    )


def run_approve(asked: ApproveRequest) -> None:
    path = f"policies/{asked.version}/approval"
    answer = proved_answer(
        asked,
        lambda since: question_to(asked, path, "POST", since=since),
        again=False,
        unfit=lambda answer: (
            None if answer.get("version") == asked.version else "The answer is about another version."
        ),
    )
    if asked.as_json:
        sys.stdout.write(written(answer))
        return
    if answer["status"] == "active":
        print(f"Version {asked.version} is active now.")
        return
    given, needed = len(answer["approvals"]), answer["approvals_needed"]
    print(f"Version {asked.version} has {many(given)} of {many(needed)} approvals.")
