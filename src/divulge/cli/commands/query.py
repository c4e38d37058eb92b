"""The query commands: a table is guarded, asked, served, and looked after."""

from __future__ import annotations

import json
import secrets
import sys
from collections.abc import Mapping
from contextlib import closing
from fractions import Fraction
from pathlib import Path
from typing import Any

import typer

from divulge import documents
from divulge._support.wording import aligned, many, number
from divulge._support.wording import records as so_many
from divulge.cli.commands.release.calls.service_calls import key_of, proved_answer, question_to
from divulge.cli.commands.release.dataset import OPERATOR, opened, place_of
from divulge.cli.commands.release.service import run_serve as serve_release
from divulge.cli.commands.release.service import say
from divulge.cli.exit_codes import FAILED
from divulge.cli.progress import progress
from divulge.cli.requests.querying import GuardRequest, QueryRequest, QueryServeRequest, QueryStatusRequest
from divulge.documents import as_json as written
from divulge.documents.release import QueryAnswerDocument, QueryStatusDocument
from divulge.errors import Forbidden, SourceError, Unavailable
from divulge.service.decisions.decisions import DecisionService
from divulge.service.decisions.keys import KeyRole
from divulge.service.identities.scopes import RECORDS_ONLY
from divulge.service.operations.guarded.setting_up import guard
from divulge.service.operations.locations import ServiceLocations
from divulge.service.queries.guarded_tables import GuardedRow
from divulge.service.queries.query_service import QueryService


def run_init(asked: GuardRequest) -> None:
    place = place_of(asked)
    with progress("Reading"):
        row, table = GuardedRow.of(asked.name, Path(asked.policy), asked.table)
    with table, progress("Signing"):
        found = guard(place, row, table, OPERATOR)
    say(f"{asked.name}: {so_many(found.records)} of {row.policy.table.name}, guarded in {found.database}")
    for named in dict.fromkeys(audit.named for audit in table.audits if len(audit.columns) > 1):
        say(f"{named} determine each other: sums of one are also decided by what was answered of the others.")
    if row.policy.warning is not None:
        say(f"Warning: {row.policy.warning}")
    if found.admin_key is not None:
        say(f"The holder's keys: {place.keys}")
        say(f"Checkpoints: {place.anchors}")
        say("The admin's key, shown once:")
        print(found.admin_key)


def run_serve(asked: QueryServeRequest) -> None:
    serve_release(asked)


# -- asking -----------------------------------------------------------------------------------------


def run_ask(asked: QueryRequest) -> None:
    answer = _over_http(asked) if asked.url.startswith(("http://", "https://")) else _locally(asked)
    if asked.as_json:
        document: QueryAnswerDocument = documents.headed("query answer", answer)
        sys.stdout.write(written(document))
    elif answer["decision"] == "answered":
        print(shown(answer["answer"]))
        error = answer["answer"].get("error")
        left = f"{answer['left']} of the budget is left." if "left" in answer else None
        for sentence in filter(None, (error, left)):
            say(sentence)
    else:
        said = " ".join(filter(None, (answer.get("message"), answer.get("hint"))))
        say(f"Refused ({answer['reason']}). {said}".strip())
    if answer["decision"] != "answered":
        raise typer.Exit(FAILED)


def shown(answer: Mapping[str, Any]) -> str:
    """A number in full, or the two ends of an interval."""
    low, high = (_plain(Fraction(answer[end])) for end in ("exact_low", "exact_high"))
    return low if low == high else f"{low} to {high}"


def _plain(value: Fraction) -> str:
    return str(value.numerator) if value.denominator == 1 else repr(float(value))


def _over_http(asked: QueryRequest) -> dict[str, Any]:
    """Asked under one key until it is answered, so that no query counts twice."""
    body, once = {"query": asked.query}, {"Idempotency-Key": secrets.token_urlsafe(18)}
    return proved_answer(asked, lambda since: question_to(asked, "queries", "POST", body, once, since=since))


def _locally(asked: QueryRequest) -> dict[str, Any]:
    """Asked of the database itself, with the same key and the same log."""
    place = ServiceLocations.of(asked.url, asked.keys, asked.checkpoints, asked.signer)
    with opened(place) as decider, closing(QueryService(decider)) as queries:
        key = decider.key_shown(key_of(asked))
        if key is None or key.role is not KeyRole.REQUESTER:
            raise Forbidden("A valid key of a requester is required.")
        key.scoped.require(asked.dataset)
        if key.scoped.records is not None:
            raise Forbidden(RECORDS_ONLY)
        try:
            found = queries.ask(asked.dataset, asked.query, key.by.person, secrets.token_urlsafe(18))
        except Unavailable:
            if (fault := queries.table_fault(asked.dataset)) is not None:
                raise SourceError(fault) from None  # this is the operator's machine
            raise
        (answer,), common = found.proved(decider.database)
        told: dict[str, Any] = {**answer, **common, **decider.keys.shown(asked.dataset)}
        return json.loads(json.dumps(told))


# -- how tables stand -------------------------------------------------------------------------------


def run_status(asked: QueryStatusRequest) -> None:
    with opened(place_of(asked), read_only=True) as decider, closing(QueryService(decider)) as queries:
        found = [_stands(decider, queries, name) for name in decider.guarded_tables()]
    document: QueryStatusDocument = documents.headed("query status", {"tables": found})
    if asked.as_json:
        sys.stdout.write(written(document))
    else:
        print(*(line for one in found for line in _lines(one)), sep="\n")
    if any(one["unreadable"] or one["read_only"] for one in found):
        raise typer.Exit(FAILED)


def _stands(decider: DecisionService, queries: QueryService, name: str) -> dict[str, Any]:
    """How a table stands, with the names of analysts as far as there are keys of them."""
    found, persons = queries.status(name), queries.persons(name)
    analysts = [{**one, "person": persons.get(one["analyst"])} for one in found["analysts"]]
    return {**found, "analysts": analysts, "unreadable": queries.table_fault(name)}


def _lines(one: Mapping[str, Any]) -> list[str]:
    lines = [
        f"{one['dataset']}: {many(one['answered'])} answered, {many(one['refused'])} refused, "
        f"{many(one['entries'])} entries; table {one['table']}, {one['kind']} answers"
    ]
    if one["refused_by_reason"]:
        reasons = ", ".join(f"{reason} {many(n)}" for reason, n in one["refused_by_reason"].items())
        lines.append(f"  refused: {reasons}")
    if one["span"] is not None:
        equations = "equation" if one["span"] == 1 else "equations"
        lines.append(f"  span: {many(one['span'])} independent {equations} about {so_many(one['records'])}")
    if one["analysts"]:
        head = ["analyst", "answered", "refused", "spent", "left"]
        rows = [
            [
                entry["person"] or entry["analyst"],
                many(entry["answered"]),
                many(entry["refused"]),
                number(entry["spent"]),
                "-" if entry["left"] is None else number(entry["left"]),
            ]
            for entry in one["analysts"]
        ]
        lines += [f"  {line}" for line in aligned(head, rows)]
    lines += [f"  {sentence}" for sentence in (one["unreadable"],) if sentence]
    return lines if one["read_only"] is None else [*lines, f"  read-only. {one['read_only']}"]
