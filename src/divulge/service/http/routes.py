"""What can be done over HTTP: every route asks the decider and tells its answer; nothing is decided here."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from anyio import from_thread
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response

from divulge.errors import Unavailable
from divulge.service.decisions.decisions import DecisionService, RecordRequest
from divulge.service.decisions.keys import all_keys
from divulge.service.decisions.proofs import Decided
from divulge.service.decisions.transaction import WAITING
from divulge.service.http import metrics
from divulge.service.http.page import page, script, style
from divulge.service.http.problems import Invalid
from divulge.service.http.requests import (
    Batch,
    Caller,
    ChainName,
    DatasetName,
    Idempotency,
    KeyId,
    NewKey,
    PartAfterQuery,
    PartQuery,
    PointsQuery,
    Proposal,
    RecordBody,
    Seen,
    SeenQuery,
    TheDecider,
    TheGate,
    Ticket,
    Version,
)
from divulge.service.ledger.cosignatures import read_cosigned

Endpoint = TypeVar("Endpoint", bound=Callable[..., Any])
ROUTES: dict[tuple[str, str], tuple[Callable[..., Any], dict[str, Any]]] = {}


def at(method: str, path: str, **options: Any) -> Callable[[Endpoint], Endpoint]:
    """Where a function answers, and what else FastAPI should know of it."""

    def keep(endpoint: Endpoint) -> Endpoint:
        ROUTES[method, path] = endpoint, options
        return endpoint

    return keep


class ScriptResponse(Response):
    media_type = "text/javascript"


class StyleResponse(Response):
    media_type = "text/css"


# -- for anyone -------------------------------------------------------------------------------------


@at("GET", "/", response_class=HTMLResponse)
def the_page() -> Response:
    return HTMLResponse(page())


@at("GET", "/page.js", response_class=ScriptResponse)
def the_script() -> Response:
    return ScriptResponse(script())


@at("GET", "/page.css", response_class=StyleResponse)
def the_style() -> Response:
    return StyleResponse(style())


@at("GET", "/health")
def health(decider: TheDecider) -> Response:
    decider.database.read(lambda connection: connection.rows("SELECT version FROM made_by"))
    return JSONResponse({"status": "read-only" if decider.behind else "ok"})


# -- requests ---------------------------------------------------------------------------------------


@at("POST", "/datasets/{dataset}/requests", responses={202: {"description": "The request is waiting."}})
def request(
    dataset: DatasetName,
    wanted: RecordBody,
    key: Idempotency,
    seen: SeenQuery,
    decider: TheDecider,
    caller: Caller,
) -> Response:
    found = decider.decided_one(dataset, RecordRequest(wanted.record, key), caller.id)
    return _proved(decider, found, seen, 202 if found.answers[0]["decision"] == WAITING else 200)


@at("POST", "/datasets/{dataset}/batches")
def batch(dataset: DatasetName, batch: Batch, seen: SeenQuery, gate: TheGate, caller: Caller) -> Response:
    """Several records. Against the limits they count as so many requests."""
    if len(batch.requests) > gate.limits.batch:
        raise Invalid(f"A batch may have at most {gate.limits.batch} requests.")
    from_thread.run_sync(gate.pace.count_more, caller.id, len(batch.requests) - 1)
    asked = [RecordRequest(one.record, one.key) for one in batch.requests]
    found = gate.decider.decided(dataset, asked, caller.id)
    answers, common = found.proved(gate.decider.database, seen.since)
    return JSONResponse({"answers": answers, **common})


@at("GET", "/datasets/{dataset}/requests/{ticket}")
def ticket(
    dataset: DatasetName, ticket: Ticket, seen: SeenQuery, decider: TheDecider, caller: Caller
) -> Response:
    return _proved(decider, decider.followed(dataset, ticket, caller.id), seen)


@at("DELETE", "/datasets/{dataset}/requests/{ticket}")
def withdraw(
    dataset: DatasetName, ticket: Ticket, seen: SeenQuery, decider: TheDecider, caller: Caller
) -> Response:
    return _proved(decider, decider.withdrawn(dataset, ticket, caller.id), seen)


def _proved(decider: DecisionService, found: Decided, seen: Seen, status: int = 200) -> Response:
    """One answer with its proof."""
    (answer,), common = found.proved(decider.database, seen.since)
    return JSONResponse({**answer, **common}, status)


@at("GET", "/datasets/{dataset}/checkpoints")
def newest(dataset: ChainName, seen: SeenQuery, decider: TheDecider) -> Response:
    """The newest checkpoint, whose key it is, and who has countersigned which."""
    _, found = decider.newest(dataset).proved(decider.database, seen.since)
    public = decider.secrets.public_pem.decode()
    witnessed = [one.to_dict() for one in read_cosigned(decider.anchors.folder, dataset)]
    return JSONResponse({**found, "public_key": public, "witnessed": witnessed})


# -- how things stand -------------------------------------------------------------------------------


@at("GET", "/metrics", response_class=PlainTextResponse)
def collected(gate: TheGate) -> Response:
    return Response(metrics.text(gate.decider, gate.counters), media_type=metrics.TYPE)


@at("GET", "/datasets")
def datasets(decider: TheDecider) -> Response:
    return JSONResponse({"datasets": decider.datasets()})


@at("GET", "/datasets/{dataset}")
def status(dataset: DatasetName, decider: TheDecider) -> Response:
    return JSONResponse(decider.status(dataset))


@at("GET", "/datasets/{dataset}/queue")
def queue(dataset: DatasetName, part: PartQuery, decider: TheDecider) -> Response:
    waiting = decider.status(dataset)["waiting"]
    return JSONResponse({"waiting": waiting, "queue": decider.queue(dataset, part.most)})


@at("GET", "/datasets/{dataset}/decisions")
def decisions(dataset: DatasetName, part: PartAfterQuery, decider: TheDecider) -> Response:
    return JSONResponse({"decisions": decider.decisions(dataset, part.after, part.most)})


@at("GET", "/datasets/{dataset}/log")
def log(dataset: ChainName, part: PartAfterQuery, decider: TheDecider) -> Response:
    return JSONResponse({"entries": decider.log(dataset, part.after, part.most)})


@at("GET", "/datasets/{dataset}/series")
def series(dataset: DatasetName, points: PointsQuery, decider: TheDecider) -> Response:
    return JSONResponse({"points": decider.series(dataset, points.points)})


@at("POST", "/datasets/{dataset}/checkpoints")
def checkpoint(dataset: ChainName, decider: TheDecider) -> Response:
    if dataset in decider.behind:
        raise Unavailable("This log is read-only until it is reconciled.")
    return JSONResponse(decider.checkpoint(dataset).to_dict())


# -- policies ---------------------------------------------------------------------------------------


@at("GET", "/datasets/{dataset}/policies")
def policies(dataset: DatasetName, decider: TheDecider) -> Response:
    return JSONResponse({"policies": decider.policies(dataset)})


@at("POST", "/datasets/{dataset}/policies", status_code=201)
def propose(
    dataset: DatasetName, proposal: Proposal, seen: SeenQuery, decider: TheDecider, caller: Caller
) -> Response:
    answer = decider.propose(dataset, proposal.rules(), caller.id)
    return _proved(decider, decider.proving(dataset, answer), seen, 201)


@at("GET", "/datasets/{dataset}/policies/{version}/dry-run")
def dry_run(dataset: DatasetName, version: Version, decider: TheDecider) -> Response:
    return JSONResponse(decider.dry_run(dataset, version))


@at("POST", "/datasets/{dataset}/policies/{version}/approval")
def approve(
    dataset: DatasetName, version: Version, seen: SeenQuery, decider: TheDecider, caller: Caller
) -> Response:
    answer = decider.approve(dataset, version, caller.id)
    return _proved(decider, decider.proving(dataset, answer), seen)


# -- keys -------------------------------------------------------------------------------------------


@at("GET", "/keys")
def keys(decider: TheDecider) -> Response:
    return JSONResponse({"keys": [key.to_dict() for key in decider.database.read(all_keys)]})


@at("POST", "/keys", status_code=201)
def new_key(wanted: NewKey, decider: TheDecider, caller: Caller) -> Response:
    told, key = decider.make_key(by=caller.id, **wanted.model_dump())
    return JSONResponse({**key.to_dict(), "key": told}, 201)


@at("DELETE", "/keys/{key}", status_code=204)
def revoke(key: KeyId, decider: TheDecider, caller: Caller) -> Response:
    decider.revoke_key(key, by=caller.id)
    return Response(status_code=204)
