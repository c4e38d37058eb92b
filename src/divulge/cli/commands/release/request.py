"""The release request command: a question over HTTP, asked again under one key until it is answered."""

from __future__ import annotations

import json
import os
import secrets
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path
from typing import Any

from divulge.cli.commands.release.remembered import (
    CheckpointMemory,
    SeenCheckpoint,
    check_answer,
)
from divulge.cli.requests.release import ServiceRecordRequest
from divulge.documents import as_json as written
from divulge.errors import (
    Conflict,
    DivulgeError,
    Forbidden,
    MissingSource,
    NotFound,
    ParameterError,
    SourceError,
    Unavailable,
)
from divulge.service.ledger.secrets import read_public

VARIABLE = "DIVULGE_KEY"
ATTEMPTS = 6
FIRST_PAUSE = 0.25  # seconds; twice as long each time
PATIENCE = 60.0  # seconds for one answer
REFUSED: dict[int, type[DivulgeError]] = {403: Forbidden, 404: NotFound, 409: Conflict}
AGAIN = (429, 503)


def _key(asked: ServiceRecordRequest) -> str:
    """The requester's key: from a file, or from the environment, never from the command line."""
    if asked.key_file is None:
        found = os.environ.get(VARIABLE, "")
    else:
        try:
            found = Path(asked.key_file).read_text("utf-8")
        except OSError as error:
            raise MissingSource(f"{asked.key_file} cannot be read: {error.strerror}.") from None
    if not found.strip():
        raise ParameterError("No key given.", hint=f"Give --key-file, or set {VARIABLE}.")
    return found.strip()


def _question(asked: ServiceRecordRequest, since: int | None) -> urllib.request.Request:
    """What is asked of the service, with the proof that its log goes on from what was seen."""
    if (asked.record is None) == (asked.ticket is None):
        raise ParameterError("Give either a record or --ticket.")
    if asked.withdraw and asked.ticket is None:
        raise ParameterError("A request is withdrawn by its ticket.", hint="Give --ticket.")
    if urllib.parse.urlsplit(asked.url).scheme not in ("http", "https"):
        raise ParameterError(
            f"{asked.url} is not the address of a service.", hint="It begins with http:// or https://."
        )
    path = f"{_address(asked)}/requests"
    proving = "" if since is None else f"?since={since}"
    headers = _headers(asked)
    if asked.ticket is not None:
        method = "DELETE" if asked.withdraw else "GET"
        address = f"{path}/{urllib.parse.quote(asked.ticket, safe='')}{proving}"
        return urllib.request.Request(address, headers=headers, method=method)
    headers |= {"Content-Type": "application/json", "Idempotency-Key": secrets.token_urlsafe(18)}
    body = json.dumps({"record": asked.record}).encode()
    return urllib.request.Request(f"{path}{proving}", body, headers, method="POST")


def _address(asked: ServiceRecordRequest) -> str:
    return f"{asked.url.rstrip('/')}/datasets/{urllib.parse.quote(asked.dataset, safe='')}"


def _headers(asked: ServiceRecordRequest) -> dict[str, str]:
    return {"Authorization": f"Bearer {_key(asked)}", "Accept": "application/json"}


class _Straight(urllib.request.HTTPRedirectHandler):
    """Follows no redirection, which would hand the key to another host."""

    def redirect_request(self, *_: Any) -> None:
        return None


def run_request(asked: ServiceRecordRequest) -> None:
    answer = _proved(asked)
    if asked.as_json:
        sys.stdout.write(written(answer))
        return
    print(answer["decision"])
    if "record" in answer:
        print(json.dumps(answer["record"], ensure_ascii=False))
    print(f"Ticket: {answer['ticket']}", file=sys.stderr)


def _proved(asked: ServiceRecordRequest) -> dict[str, Any]:
    """An answer that is in the holder's log, which goes on from what was seen before; it is remembered."""
    memory = CheckpointMemory.of(asked.url, asked.dataset, asked.seen)
    seen = memory.seen()
    answer = _answer(_question(asked, None if seen is None else seen.checkpoint.count))
    pem = _public_key(asked, seen)
    try:
        found = check_answer(answer, pem, seen)
    except Conflict as error:
        if seen is None:
            raise
        kept = memory.keep_evidence(seen, answer)
        raise Conflict(
            f"{error} The answer is not used.",
            hint=f"Ask the holder, and show them {kept}. If they accepted a loss, remove {memory.path}.",
        ) from None
    memory.remember(found)
    return answer


def _public_key(asked: ServiceRecordRequest, seen: SeenCheckpoint | None) -> str:
    """The key that was given, or that was remembered; the first time, the one that the service tells."""
    if asked.public_key is not None:
        read_public(Path(asked.public_key))  # says what is wrong with it
        return Path(asked.public_key).read_text("utf-8")
    if seen is not None:
        return seen.public_key
    question = urllib.request.Request(f"{_address(asked)}/checkpoints", headers=_headers(asked))
    return str(_answer(question).get("public_key"))


def _answer(question: urllib.request.Request) -> dict[str, Any]:
    """What the service answers; where it cannot, or does not, the same question is asked again."""
    opener, refused = urllib.request.build_opener(_Straight), ""
    for attempt in range(ATTEMPTS):
        if attempt:
            time.sleep(FIRST_PAUSE * 2 ** (attempt - 1))
        try:
            with opener.open(question, timeout=PATIENCE) as response:
                return _document(response.read())
        except urllib.error.HTTPError as error:
            with error:
                body = error.read()
                if error.code not in AGAIN:
                    said = _document(body).get("message", f"The service answered {error.code}.")
                    raise REFUSED.get(error.code, SourceError)(str(said)) from None
                refused = _message(body)
        except OSError:
            refused = ""
    raise Unavailable(
        f"The service refuses: {refused}"
        if refused
        else "The service did not answer, so it is not known whether the request was decided.",
        hint="Send the request again: a released record is not counted twice.",
    )


def _message(body: bytes) -> str:
    """What the service, or a proxy before it, says of why it does not answer; empty where it says nothing."""
    try:
        return str(json.loads(body)["message"])
    except (KeyError, TypeError, ValueError):
        return ""


def _document(body: bytes) -> dict[str, Any]:
    try:
        found = json.loads(body)
    except ValueError:
        found = None
    if not isinstance(found, dict):
        raise SourceError("The answer does not come from a release service.", hint="Check the address.")
    return found
