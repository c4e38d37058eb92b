"""The release request command: a question over HTTP, asked again under one key until it is answered."""

from __future__ import annotations

import json
import secrets
import sys
import urllib.parse
from collections.abc import Mapping
from typing import Any

from divulge.cli.commands.release.calls.service_calls import proved_answer, question_to
from divulge.cli.requests.release import ServiceRecordRequest
from divulge.documents import as_json as written
from divulge.errors import ParameterError


def run_request(asked: ServiceRecordRequest) -> None:
    if (asked.record is None) == (asked.ticket is None):
        raise ParameterError("Give either a record or --ticket.")
    if asked.withdraw and asked.ticket is None:
        raise ParameterError("A request is withdrawn by its ticket.", hint="Give --ticket.")
    answer = _answer(asked)
    if asked.as_json:
        sys.stdout.write(written(answer))
        return
    print(answer["decision"])
    if "record" in answer:
        print(json.dumps(answer["record"], ensure_ascii=False))
    print(f"Ticket: {answer['ticket']}", file=sys.stderr)


def _answer(asked: ServiceRecordRequest) -> dict[str, Any]:
    """A question about an earlier request, or a new one under a key that makes asking again harmless."""
    if asked.ticket is not None:
        method = "DELETE" if asked.withdraw else "GET"
        path = f"requests/{urllib.parse.quote(asked.ticket, safe='')}"
        return proved_answer(
            asked,
            lambda since: question_to(asked, path, method, since=since),
            unfit=lambda answer: _other_than(asked, answer),
        )
    body = {"record": asked.record}
    once = {"Idempotency-Key": secrets.token_urlsafe(18)}
    return proved_answer(
        asked,
        lambda since: question_to(asked, "requests", "POST", body, once, since=since),
        unfit=lambda answer: _other_than(asked, answer),
    )


def _other_than(asked: ServiceRecordRequest, answer: Mapping[str, Any]) -> str | None:
    """Why an answer is to another question, in a sentence: a proof names an entry, not what was asked.

    A record has its id among its values, but does not say under which name.
    """
    if asked.ticket is not None and answer.get("ticket") != asked.ticket:
        return "The answer is about another ticket."
    record = answer.get("record", {})
    if not isinstance(record, dict):
        return "The answer's record is none."
    if asked.record is not None and record and asked.record not in map(str, record.values()):
        return "The answer has another record than the one that was asked for."
    return None
