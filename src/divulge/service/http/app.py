"""The release service as an application: a door for every route, headers for every answer and error."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from fastapi import FastAPI
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from divulge.report.shared.answer_headers import HEADERS
from divulge.service.decisions.decisions import DecisionService
from divulge.service.http.access import ADMITTED, ANSWERED, AccessContext, Door
from divulge.service.http.direct import DIRECT
from divulge.service.http.limits import ServiceLimits
from divulge.service.http.problems import STATUSES, answer_to, reason_of
from divulge.service.http.routes import ROUTES

if TYPE_CHECKING:
    from divulge.service.identities.tokens import TokenIssuer

PROBLEM = {
    "type": "object",
    "properties": {"error": {"enum": [*STATUSES]}, "message": {"type": "string"}},
    "required": ["error", "message"],
    "additionalProperties": False,
}
PROBLEMS: dict[int | str, dict[str, Any]] = {
    status: {"description": code, "content": {"application/json": {"schema": PROBLEM}}}
    for code, status in STATUSES.items()
}


def create_app(
    decider: DecisionService, limits: ServiceLimits | None = None, tokens: TokenIssuer | None = None
) -> ReleaseApp:
    """Everything that can be asked of a decider, over HTTP. The decider stays the caller's to close."""
    app = ReleaseApp(
        title="divulge release", docs_url=None, redoc_url=None, openapi_url=None, redirect_slashes=False
    )
    app.state.gate = AccessContext(decider, limits or ServiceLimits(), tokens)
    app.router.route_class = Door
    for (method, path), (endpoint, options) in ROUTES.items():
        told = {"response_class": JSONResponse, "response_model": None, **options}
        told["responses"] = {**PROBLEMS, **options.get("responses", {})}
        app.add_api_route(path, endpoint, methods=[method], **told)
    for route in app.routes:
        if isinstance(route, Door) and (found := DIRECT.get((route.row.method, route.row.path))):
            route.direct = found
            app.straight.append(route)
    app.add_exception_handler(HTTPException, _nowhere)
    app.add_middleware(AnswerHeaders)
    return app


class ReleaseApp(FastAPI):
    """FastAPI, which requests in their plain form pass by: half of the time of a request was its own."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.straight: list[Door] = []

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        door = self._door(scope)
        if door is None:
            await super().__call__(scope, receive, send)
        else:
            general = partial(super().__call__, receive=receive, send=send)
            await AnswerHeaders(partial(self._straight, door, general))(scope, receive, send)

    def _door(self, scope: Scope) -> Door | None:
        """The route of a request that may go straight."""
        if scope["type"] != "http" or scope["method"] != "POST" or scope["root_path"]:
            return None
        for door in self.straight:
            if (found := door.path_regex.match(scope["path"])) is not None:
                scope["app"], scope["path_params"] = self, found.groupdict()
                return door
        return None

    async def _straight(
        self,
        door: Door,
        general: Callable[[Scope], Awaitable[None]],
        scope: Scope,
        receive: Receive,
        send: Send,
    ) -> None:
        async def beyond(request: Request) -> Response:
            await general({**scope, ADMITTED: request})
            return ANSWERED

        answer = await door.answered(self.state.gate, Request(scope, receive), beyond)
        if answer is not ANSWERED:
            await answer(scope, receive, send)


async def _nowhere(request: Request, error: Exception) -> Response:
    """There is no such route."""
    answer = answer_to(error)
    counters = request.app.state.gate.counters
    counters.add("other", "other", answer.status_code)
    counters.refused(reason_of(error))
    return answer


class AnswerHeaders:
    """Around everything: headers for browsers, and an answer that tells nothing where all else failed."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started = False

        async def send_with_headers(message: Message) -> None:
            nonlocal started
            if message["type"] == "http.response.start":
                started = True
                message["headers"] = [*message["headers"], *HEADERS]
            await send(message)

        try:
            await self._app(scope, receive, send_with_headers)
        except Exception as error:
            answer = answer_to(error)
            if not started:
                await answer(scope, receive, send_with_headers)
