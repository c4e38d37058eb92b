"""What went wrong, as an answer: a code and a sentence, and nothing of what was sent."""

from __future__ import annotations

import logging
import traceback

from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.responses import JSONResponse

from divulge.errors import (
    Conflict,
    Forbidden,
    NotFound,
    ParameterError,
    ReleaseError,
    SchemaError,
    Unavailable,
    listing,
)
from divulge.service.decisions.open_requests import TooManyOpen

PAUSE = 5  # seconds after which what could not be decided may be asked for again
LOGGER = logging.getLogger("divulge.service")


class Unauthorized(ReleaseError):
    """Nobody known asks."""


class TooLarge(ReleaseError):
    """More was sent than anyone may send."""


class Invalid(ReleaseError):
    """What was sent is not what is asked for here."""


class TryLater(ReleaseError):
    """What was asked for may be asked for again, in so many seconds."""

    def __init__(self, message: str, seconds: int, reason: str = "rate") -> None:
        super().__init__(message)
        self.seconds, self.reason = seconds, reason


class TooMany(TryLater):
    """More was asked for than one may ask for in so short a time."""


class Busy(TryLater):
    """There are more connections than can be served."""


class TooSlow(ReleaseError):
    """A request that did not come to its end in time."""


class NotHTTP(ReleaseError):
    """Something was sent that is no request."""


#: By code the status of an answer, and the errors that have it.
ANSWERS: dict[str, tuple[int, tuple[type[Exception], ...]]] = {
    "malformed": (400, (NotHTTP,)),
    "unauthorized": (401, (Unauthorized,)),
    "forbidden": (403, (Forbidden,)),
    "not_found": (404, (NotFound, HTTPException)),  # also: no such path, or not with this method
    "too_slow": (408, (TooSlow, ClientDisconnect)),
    "conflict": (409, (Conflict,)),
    "too_large": (413, (TooLarge,)),
    "invalid": (422, (Invalid, ParameterError, SchemaError, RequestValidationError)),
    "too_many": (429, (TooMany,)),
    "unavailable": (503, (Busy, Unavailable)),
}
STATUSES = {code: status for code, (status, _) in ANSWERS.items()}
OWN_WORDS = (  # that repeat no input
    *(Unauthorized, Forbidden, Conflict, TooLarge, Invalid, Unavailable),
    *(TooMany, Busy, TooSlow, NotHTTP),
)
SENTENCES = {
    "not_found": "Not found, or your key has no access.",
    "too_slow": "The request did not arrive in time. Send it again.",
    "invalid": "The request cannot be carried out on this dataset.",
    "unavailable": (
        "It is not known whether the request was decided. Send it again with the same idempotency key."
    ),
}


def code_of(error: Exception) -> str | None:
    """The code of an error; None where nobody expected it."""
    return next((code for code, (_, kinds) in ANSWERS.items() if isinstance(error, kinds)), None)


def reason_of(error: Exception) -> str:
    """Why something was refused, for those who count."""
    if isinstance(error, TooManyOpen):
        return "open requests"
    return error.reason if isinstance(error, TryLater) else code_of(error) or "unavailable"


def answer_to(error: Exception) -> JSONResponse:
    """The answer to an error; an unexpected one goes to the log only."""
    code = code_of(error)
    if code is None:
        code = "unavailable"
        _note(error)
    content = {"error": code, "message": _sentence(error, code)}
    return JSONResponse(content, STATUSES[code], headers=_headers(error))


def _sentence(error: Exception, code: str) -> str:
    if isinstance(error, RequestValidationError):
        return f"The request is not valid: check {listing(_places(error), 5)}."
    return str(error) if isinstance(error, OWN_WORDS) else SENTENCES[code]


def _places(error: RequestValidationError) -> list[str]:
    """Where a request is wrong, by names of ours: that of an unknown field was sent, and is left out."""
    found = set()
    for one in error.errors():
        parts = one["loc"][:-1] if one["type"] == "extra_forbidden" else one["loc"]
        found.add(" ".join(part for part in parts if isinstance(part, str)))
    return sorted(found)


def _headers(error: Exception) -> dict[str, str]:
    if isinstance(error, Unauthorized):
        return {"WWW-Authenticate": "Bearer"}
    if isinstance(error, TryLater):
        return {"Retry-After": str(error.seconds)}
    return {"Retry-After": str(PAUSE)} if isinstance(error, Unavailable) else {}


def _note(error: Exception) -> None:
    """Kind and place of an error; its message may hold a value of a record."""
    frames = traceback.extract_tb(error.__traceback__)
    place = f"{frames[-1].filename}:{frames[-1].lineno}" if frames else "nowhere"
    LOGGER.error("A request failed with %s at %s.", type(error).__name__, place)
