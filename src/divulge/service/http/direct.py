"""Requests in their plain form go straight to their function; all others the general way, which says why not.

Most of the time of a request for a record was spent on the general way: FastAPI looks for every parameter
where it may be. A request goes straight only if the general way would take it, and with the same values.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from pydantic import ValidationError
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from divulge.service.decisions.decisions import RecordRequest
from divulge.service.decisions.keys import Key
from divulge.service.http import routes
from divulge.service.http.access import AccessContext, Answering
from divulge.service.http.bodies import Read
from divulge.service.http.requests import DATASET, IDEMPOTENCY, Batch, RecordBody, Seen
from divulge.service.ledger.log_writer import SERVICE

_DATASET, _KEY = (re.compile(one.strip("^$")) for one in (DATASET, IDEMPOTENCY))
_SINCE = re.compile(rb"since=([0-9]{1,15})")
UNSEEN = Seen()


class _Plain(NamedTuple):
    """What every request about records has."""

    dataset: str
    seen: Seen
    gate: AccessContext
    caller: Key


def _plain(request: Read) -> _Plain | None:
    dataset, query = request.path_params["dataset"], request.scope["query_string"]
    since = _SINCE.fullmatch(query) if query else None
    if not _DATASET.fullmatch(dataset) or dataset == SERVICE or (query and since is None):
        return None
    seen = UNSEEN if since is None else Seen(since=int(since[1]))
    return _Plain(dataset, seen, request.app.state.gate, request.state.key)


def record_request(request: Read) -> Answering | None:
    """A request for one record."""
    plain, keys = _plain(request), request.headers.getlist("idempotency-key")
    if plain is None or len(keys) != 1 or not _KEY.fullmatch(keys[0]):
        return None
    try:
        wanted = RecordBody.model_validate(request.value)
    except ValidationError:
        return None
    return partial(_record, plain, RecordRequest(wanted.record, keys[0]))


async def _record(plain: _Plain, wanted: RecordRequest) -> Response:
    routes.require_record(plain.caller, plain.dataset, wanted.record)
    answer = partial(routes.decided, plain.gate.decider, plain.seen)
    return await plain.gate.deciders.answer(plain.dataset, wanted, plain.caller.id, answer)


def batch_request(request: Read) -> Answering | None:
    """A batch of them."""
    plain = _plain(request)
    if plain is None:
        return None
    try:
        batch = Batch.model_validate(request.value)
    except ValidationError:
        return None
    return partial(
        run_in_threadpool, routes.batch, plain.dataset, batch, plain.seen, plain.gate, plain.caller
    )


DIRECT: dict[tuple[str, str], Callable[[Read], Answering | None]] = {
    ("POST", "/datasets/{dataset}/requests"): record_request,
    ("POST", "/datasets/{dataset}/batches"): batch_request,
}
