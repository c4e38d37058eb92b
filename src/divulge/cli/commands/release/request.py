"""The release request command: a question over HTTP, asked again under one key until it is answered."""

from __future__ import annotations

import json
import secrets
import sys
import urllib.parse
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
        return proved_answer(asked, lambda since: question_to(asked, path, method, since=since))
    body = {"record": asked.record}
    once = {"Idempotency-Key": secrets.token_urlsafe(18)}
    return proved_answer(asked, lambda since: question_to(asked, "requests", "POST", body, once, since=since))
