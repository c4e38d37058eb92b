"""Who may go where: one table of routes and roles, and the door at which each request shows its key."""

from __future__ import annotations

import re
from collections.abc import Callable, Coroutine
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple

import anyio
from fastapi.routing import APIRoute
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from divulge.errors import Forbidden
from divulge.service.decisions.decisions import DecisionService
from divulge.service.decisions.keys import Key, KeyRole
from divulge.service.decisions.off_loop import Deciders, KeyChecks, LoopAnswers
from divulge.service.http.bodies import Read, read
from divulge.service.http.limits import Pace, ServiceLimits, client_of
from divulge.service.http.metrics import Counters, DecisionCounts
from divulge.service.http.problems import Invalid, TooMany, Unauthorized, answer_to, reason_of
from divulge.service.http.readiness import Readiness
from divulge.service.queries.query_service import QueryService

if TYPE_CHECKING:
    from divulge.service.identities.tokens import TokenIssuer

Handler = Callable[[Request], Coroutine[Any, Any, Response]]
Answering = Callable[[], Coroutine[Any, Any, Response]]
ADMITTED = "divulge.admitted"  # in a scope: the request, if its key was checked and its body read
ANSWERED = Response()  # stands for an answer that was sent already
BEARER = re.compile(r"Bearer ([0-9a-f]{12}\.[A-Za-z0-9_-]{43})", re.IGNORECASE)
TOKEN = re.compile(r"Bearer ((?:[A-Za-z0-9_-]{1,8192}\.){2}[A-Za-z0-9_-]{1,8192})", re.IGNORECASE)
ANYONE: frozenset[KeyRole] = frozenset()
REQUESTER, STEWARD, AUDITOR, ADMIN = (frozenset({role}) for role in KeyRole)
EVERYBODY = REQUESTER | STEWARD | AUDITOR | ADMIN
WITHIN_ANY_SCOPE = {"/me", "/datasets"}  # routes of no dataset that say no more than a scope allows


class RouteAccess(NamedTuple):
    """A route, and the roles that may take it; where none is named, anyone may."""

    method: str
    path: str
    roles: frozenset[KeyRole]


TABLE = (
    RouteAccess("GET", "/", ANYONE),
    RouteAccess("GET", "/page.js", ANYONE),
    RouteAccess("GET", "/page.css", ANYONE),
    RouteAccess("GET", "/health", ANYONE),
    RouteAccess("GET", "/ready", ANYONE),
    RouteAccess("GET", "/metrics", AUDITOR | ADMIN),
    RouteAccess("GET", "/me", EVERYBODY),
    RouteAccess("GET", "/datasets", STEWARD | AUDITOR | REQUESTER),
    RouteAccess("GET", "/datasets/{dataset}", STEWARD | AUDITOR),
    RouteAccess("POST", "/datasets/{dataset}/requests", REQUESTER),
    RouteAccess("POST", "/datasets/{dataset}/batches", REQUESTER),
    RouteAccess("GET", "/datasets/{dataset}/requests/{ticket}", REQUESTER),
    RouteAccess("DELETE", "/datasets/{dataset}/requests/{ticket}", REQUESTER),
    RouteAccess("GET", "/datasets/{dataset}/queue", STEWARD | AUDITOR),
    RouteAccess("POST", "/datasets/{dataset}/queries", REQUESTER),
    RouteAccess("GET", "/datasets/{dataset}/queries", STEWARD | AUDITOR),
    RouteAccess("GET", "/datasets/{dataset}/decisions", STEWARD | AUDITOR),
    RouteAccess("GET", "/datasets/{dataset}/log", AUDITOR),
    RouteAccess("GET", "/datasets/{dataset}/series", STEWARD | AUDITOR),
    RouteAccess("GET", "/datasets/{dataset}/checkpoints", STEWARD | AUDITOR | REQUESTER),
    RouteAccess("POST", "/datasets/{dataset}/checkpoints", AUDITOR),
    RouteAccess("GET", "/datasets/{dataset}/policies", STEWARD | AUDITOR),
    RouteAccess("POST", "/datasets/{dataset}/policies", STEWARD),
    RouteAccess("GET", "/datasets/{dataset}/policies/{version}/dry-run", STEWARD | AUDITOR),
    RouteAccess("POST", "/datasets/{dataset}/policies/{version}/approval", STEWARD),
    RouteAccess("GET", "/keys", ADMIN),
    RouteAccess("POST", "/keys", ADMIN),
    RouteAccess("DELETE", "/keys/{key}", ADMIN),
)
PROBES = frozenset({"/health", "/ready"})  # cost nothing, and must not fail because others ask a lot
ROWS = {(row.method, row.path): row for row in TABLE}


class AccessContext:
    """What every door needs to know."""

    def __init__(
        self, decider: DecisionService, limits: ServiceLimits, tokens: TokenIssuer | None = None
    ) -> None:
        self.decider, self.limits, self.tokens = decider, limits, tokens
        self.pace, self.counters = Pace(limits), Counters()
        self.queries = QueryService(decider)
        self.readiness, self.decisions = Readiness(decider), DecisionCounts(decider)
        telling = LoopAnswers()
        self.keys, self.deciders = KeyChecks(decider, telling), Deciders(decider, telling)

    async def key_of(self, request: Request) -> Key | None:
        """The key that a request shows, if it is good."""
        given = request.headers.getlist("authorization")
        if len(given) != 1:
            return None
        if told := BEARER.fullmatch(given[0]):
            return await self.keys.shown(told[1])
        token = TOKEN.fullmatch(given[0]) if self.tokens is not None else None
        return await run_in_threadpool(self._key_of_token, token[1]) if token else None

    def _key_of_token(self, token: str) -> Key | None:
        """The key of whom a token is about."""
        now = datetime.fromisoformat(self.decider.time()).timestamp()
        subject = self.tokens.subject_of(token, now) if self.tokens is not None else None
        return None if subject is None else self.decider.subject_shown(subject)


class Door(APIRoute):
    """A route of the table. No body is read before the key is known and may pass."""

    def __init__(self, path: str, endpoint: Callable[..., Any], **options: Any) -> None:
        (method,) = options["methods"]
        if (method, path) not in ROWS:
            raise LookupError(f"{method} {path} has no row in the table of routes.")
        self.row = ROWS[method, path]
        self.direct: Callable[[Read], Answering | None] = lambda request: None
        super().__init__(path, endpoint, **options)

    def get_route_handler(self) -> Handler:
        beyond = super().get_route_handler()

        async def through(request: Request) -> Response:
            return await self.answered(request.app.state.gate, request, beyond)

        return through

    async def answered(self, gate: AccessContext, request: Request, beyond: Handler) -> Response:
        """The answer to a request, which is given ``beyond`` the door if it does not go straight."""
        try:
            answer = await self._admitted(gate, request, beyond)
        except Exception as error:
            if isinstance(error, Unauthorized | TooMany):
                await anyio.sleep(gate.limits.pause)  # so that they cannot keep everybody else waiting
            answer = answer_to(error)
            gate.counters.refused(reason_of(error))
        if answer is not ANSWERED:
            gate.counters.add(self.row.method, self.row.path, answer.status_code)
        return answer

    async def _admitted(self, gate: AccessContext, request: Request, beyond: Handler) -> Response:
        if (admitted := request.scope.get(ADMITTED)) is not None:
            return await beyond(admitted.for_scope_of(request))
        if self.row.path in PROBES:
            return await beyond(await read(request, False, gate.limits))
        key = await gate.key_of(request) if self.row.roles else None
        address = client_of(request.client.host) if request.client else ""
        with gate.pace.turn(key.id if key else None, address):
            if self.row.roles:
                request.state.key = self._passed(key)
                self._require_scope(request.state.key, request.path_params.get("dataset"))
                if request.scope["query_string"] and not self.dependant.query_params:
                    raise Invalid("This request takes no parameters in its address.")
            whole = await read(request, self.body_field is not None, gate.limits)
            answering = self.direct(whole)
            return await beyond(whole) if answering is None else await answering()

    def _passed(self, key: Key | None) -> Key:
        if key is None:
            raise Unauthorized("A valid key is required.")
        if key.role not in self.row.roles:
            raise Forbidden("The role of this key does not allow this.")
        return key

    def _require_scope(self, key: Key, dataset: str | None) -> None:
        """Refuse what a key is not for, before anything is looked up."""
        if dataset is not None:
            key.scoped.require(dataset)
        elif key.scoped.datasets is not None and self.row.path not in WITHIN_ANY_SCOPE:
            raise Forbidden("The scope of this key does not allow this.")
