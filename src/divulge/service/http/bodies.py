"""A request's body, read strictly: JSON that means one thing to everyone, and no more of it than allowed."""

from __future__ import annotations

import json
import math
import re
from typing import Any, NoReturn

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request

from divulge.service.http.limits import ServiceLimits
from divulge.service.http.problems import Invalid, TooLarge

JSON = re.compile(r'application/json *(; *charset="?utf-8"? *)?', re.IGNORECASE)
SHORT = 4096  # bytes that are parsed sooner than another thread is asked to
FORBIDDEN = re.compile("[\0\ud800-\udfff]")  # NUL, and halves of a character


class Read(Request):
    """A request whose body has been read and means what it says."""

    def __init__(self, request: Request, body: bytes, value: Any) -> None:
        super().__init__(request.scope, request.receive)
        self._read, self.value = body, value

    async def body(self) -> bytes:
        return self._read

    async def json(self) -> Any:
        return self.value

    def for_scope_of(self, request: Request) -> Read:
        """The same on its way through another part of the application."""
        return Read(request, self._read, self.value)


async def read(request: Request, wanted: bool, limits: ServiceLimits) -> Read:
    """Read a body where one is wanted, and refuse one where none is."""
    if not wanted:
        if _announced(request):  # not waited for: anyone could keep connections busy with it
            raise Invalid("This request must not have a body.")
        return Read(request, b"", None)
    body = await _bytes(request, limits.body)
    if request.headers.get("content-encoding", "identity") != "identity":
        raise Invalid("A body must not be compressed.")
    if not JSON.fullmatch(request.headers.get("content-type", "")):
        raise Invalid("A body must be of the type application/json.")
    if len(body) <= SHORT:
        return Read(request, body, parsed(body, limits.depth))
    return Read(request, body, await run_in_threadpool(parsed, body, limits.depth))


def _announced(request: Request) -> bool:
    """Whether a body is to come, by what the head of a request says: HTTP has no other."""
    headers = request.headers
    return "transfer-encoding" in headers or headers.get("content-length", "0").strip("0") != ""


async def _bytes(request: Request, most: int) -> bytes:
    """The bytes of a body; reading ends where there are too many, or would be."""
    declared = request.headers.get("content-length", "0")
    if declared.isdecimal() and (len(declared) > 18 or int(declared) > most):
        raise TooLarge(f"A body may have at most {most} bytes.")
    found = bytearray()
    async for chunk in request.stream():
        found += chunk
        if len(found) > most:
            raise TooLarge(f"A body may have at most {most} bytes.")
    return bytes(found)


def parsed(body: bytes, depth: int) -> Any:
    """The value that a JSON text stands for, if it is plain.

    Refused are a name that stands twice in an object, numbers that are none or are too large, text that
    cannot be stored or compared, and values nested too deeply.
    """
    try:
        value = json.loads(
            body.decode(), object_pairs_hook=_object, parse_constant=_no_number, parse_float=_finite
        )
    except Invalid:
        raise
    except (ValueError, RecursionError):
        raise Invalid("The body is not JSON, or is nested too deeply.") from None
    _check(value, depth)
    return value


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise Invalid("A name occurs twice in an object of the body.")
    return found


def _no_number(_: str) -> NoReturn:
    raise Invalid("The body contains an invalid number.")


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise Invalid("The body contains a number that is too large.")
    return number


def _check(value: Any, depth: int) -> None:
    if isinstance(value, str):
        if FORBIDDEN.search(value):
            raise Invalid("The body contains text with a NUL or half a character.")
        return
    if not isinstance(value, dict | list):
        return
    if depth == 0:
        raise Invalid("The body is nested too deeply.")
    for one in [*value, *value.values()] if isinstance(value, dict) else value:
        _check(one, depth - 1)
