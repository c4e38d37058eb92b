"""Questions to a service over HTTP with somebody's key, and answers whose proof is checked and remembered."""

from __future__ import annotations

import http.client
import json
import os
import socket
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from divulge.cli.commands.release.calls.remembered import (
    CheckpointMemory,
    SeenCheckpoint,
    check_answer,
)
from divulge.cli.requests.release import ServiceCallRequest
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
LONGEST = 1 << 26  # bytes of one
REFUSED: dict[int, type[DivulgeError]] = {403: Forbidden, 404: NotFound, 409: Conflict}
HASTY, BUSY = 429, 503
Question = urllib.request.Request
_NOBODY = (ConnectionRefusedError, socket.gaierror)  # there is no such host, or nothing listens there


def question_to(
    asked: ServiceCallRequest,
    path: str,
    method: str = "GET",
    body: Mapping[str, Any] | None = None,
    more: Mapping[str, str] | None = None,
    *,
    since: int | None = None,
) -> Question:
    """What is asked about a dataset, with the proof that its log goes on from what was seen."""
    headers = {**_headers(asked), **(more or {})}
    proving = "" if since is None else f"?since={since}"
    if body is not None:
        headers["Content-Type"] = "application/json"
    data = None if body is None else json.dumps(body).encode()
    return Question(f"{_address(asked)}/{path}{proving}", data, headers, method=method)


def proved_answer(
    asked: ServiceCallRequest,
    question: Callable[[int | None], Question],
    *,
    again: bool = True,
    unfit: Callable[[Mapping[str, Any]], str | None] = lambda answer: None,
) -> dict[str, Any]:
    """An answer that is in the holder's log, which goes on from what was seen before; it is remembered.

    The question is made for what was seen. It is asked ``again`` where it got no answer, unless that would
    do it twice. ``unfit`` says in a sentence why an answer is not one to this question.
    """
    memory = CheckpointMemory.of(asked.url, asked.dataset, asked.last_seen)
    seen = memory.seen()
    answer = answer_to(question(None if seen is None else seen.checkpoint.count), again=again)
    pem = _public_key(asked, seen)
    try:
        found = check_answer(answer, asked.dataset, pem, seen)
    except Conflict as error:
        if seen is None:
            raise Conflict(f"{error} The answer is not used.", hint="Ask the holder.") from None
        kept = memory.keep_evidence(seen, answer)
        raise Conflict(
            f"{error} The answer is not used.",
            hint=f"Ask the holder, and show them {kept}. If they accepted a loss, remove {memory.path}.",
        ) from None
    if (fault := unfit(answer)) is not None:
        raise Conflict(f"{fault} The answer is not used.", hint="Ask the holder.")
    memory.remember(found)
    return answer


def answer_to(question: Question, *, again: bool = True) -> dict[str, Any]:
    """What the service answers; where it cannot, or does not, the same question is asked again."""
    refused, heard = "", False
    for attempt in range(ATTEMPTS):
        if attempt:
            time.sleep(FIRST_PAUSE * 2 ** (attempt - 1))
        try:
            code, body = _reply(question)
        except OSError as error:
            refused, heard = "", heard or not isinstance(getattr(error, "reason", None), _NOBODY)
            if not again:
                break
            continue
        heard = True
        if code < 300:
            return _document(body)
        if code not in (HASTY, BUSY):
            said = _document(body).get("message", f"The service answered {code}.")
            raise REFUSED.get(code, SourceError)(str(said))
        refused = _message(body)
        if code == BUSY and not again:
            break
    if not heard:  # nothing was sent
        parts = urllib.parse.urlsplit(question.full_url)
        raise Unavailable(
            f"No service answers at {parts.scheme}://{parts.netloc.rpartition('@')[2]}.",
            hint="Check the address, and that the service runs: divulge release serve",
        )
    raise Unavailable(
        f"The service refuses: {refused}"
        if refused
        else "The service did not answer, so it is not known whether the request was decided.",
        hint=(
            "Send the request again: a released record is not counted twice."
            if again
            else "Look what the service has with: divulge release policies"
        ),
    )


def key_of(asked: ServiceCallRequest) -> str:
    """Somebody's key: from a file, or from the environment, never from the command line."""
    if asked.key_file is None:
        found = os.environ.get(VARIABLE, "")
    else:
        try:
            found = Path(asked.key_file).read_text("utf-8")
        except OSError as error:
            raise MissingSource(f"{asked.key_file} cannot be read: {error.strerror}.") from None
    if not found.strip():
        made = (
            "The service's operator makes one with: divulge release key DATABASE --role requester --name WHO"
        )
        raise ParameterError("No key given.", hint=f"Give --key-file, or set {VARIABLE}. {made}")
    return found.strip()


def _address(asked: ServiceCallRequest) -> str:
    if urllib.parse.urlsplit(asked.url).scheme not in ("http", "https"):
        raise ParameterError(
            f"{asked.url} is not the address of a service.", hint="It begins with http:// or https://."
        )
    return f"{asked.url.rstrip('/')}/datasets/{urllib.parse.quote(asked.dataset, safe='')}"


def _headers(asked: ServiceCallRequest) -> dict[str, str]:
    return {"Authorization": f"Bearer {key_of(asked)}", "Accept": "application/json"}


def _reply(question: Question) -> tuple[int, bytes]:
    """The status and body of a reply; an OSError where there is none, or it was cut off or is no HTTP."""
    until = time.monotonic() + PATIENCE
    try:
        try:
            with urllib.request.build_opener(_Straight).open(question, timeout=PATIENCE) as response:
                return response.status, _body(response, until)
        except urllib.error.HTTPError as error:
            with error:
                return error.code, _body(error, until)
    except http.client.InvalidURL:
        raise ParameterError(f"{question.full_url} is not an address.") from None
    except http.client.HTTPException as error:
        raise ConnectionError("The reply was cut off, or is no HTTP.") from error


def _body(response: http.client.HTTPResponse | urllib.error.HTTPError, until: float) -> bytes:
    """The whole body, in time and of a length that an answer may have."""
    found, expected = bytearray(), getattr(response, "length", None)
    while part := response.read1(1 << 16):
        found += part
        if len(found) > LONGEST:
            raise SourceError(
                f"The answer is longer than {LONGEST >> 20} MiB, so it is not one of a release service.",
                hint="Check the address.",
            )
        if time.monotonic() > until:
            raise TimeoutError("The reply was not there in time.")
    if expected is not None and len(found) < expected:
        raise http.client.IncompleteRead(bytes(found))
    return bytes(found)


class _Straight(urllib.request.HTTPRedirectHandler):
    """Follows no redirection, which would hand the key to another host."""

    def redirect_request(self, *_: Any) -> None:
        return None


def _public_key(asked: ServiceCallRequest, seen: SeenCheckpoint | None) -> str:
    """The key that was given, or that was remembered; the first time, the one that the service tells."""
    if asked.public_key is not None:
        read_public(Path(asked.public_key))  # says what is wrong with it
        return Path(asked.public_key).read_text("utf-8")
    if seen is not None:
        return seen.public_key
    return str(answer_to(question_to(asked, "checkpoints")).get("public_key"))


def _message(body: bytes) -> str:
    """What the service, or a proxy before it, says of why it does not answer; empty where it says nothing."""
    try:
        return str(json.loads(body)["message"])
    except (KeyError, RecursionError, TypeError, ValueError):
        return ""


def _document(body: bytes) -> dict[str, Any]:
    try:
        found = json.loads(body)
    except (RecursionError, ValueError):
        found = None
    if not isinstance(found, dict):
        raise SourceError("The answer does not come from a release service.", hint="Check the address.")
    return found
