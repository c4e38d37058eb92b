"""What can be done over HTTP: every route asks the decider and tells its answer; nothing is decided here."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from anyio import from_thread
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response

from divulge.errors import Forbidden, ParameterError, Unavailable
from divulge.service.decisions.decisions import DecisionService, RecordRequest
from divulge.service.decisions.keys import Key, all_keys
from divulge.service.decisions.proofs import Decided
from divulge.service.decisions.transaction import WAITING
from divulge.service.http import metrics
from divulge.service.http.page import page, script, style
from divulge.service.http.problems import Invalid
from divulge.service.http.readiness import OK
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
    QueryBody,
    RecordBody,
    Seen,
    SeenQuery,
    TheDecider,
    TheGate,
    Ticket,
    Version,
)
from divulge.service.identities.scopes import OUTSIDE_RECORD, RECORDS_ONLY
from divulge.service.ledger.cosignatures import read_cosigned

Endpoint = TypeVar("Endpoint", bound=Callable[..., Any])
ROUTES: dict[tuple[str, str], tuple[Callable[..., Any], dict[str, Any]]] = {}


def at(method: str, path: str, **options: Any) -> Callable[[Endpoint], Endpoint]:
    """Where a function answers, and what else FastAPI should know of it."""

    def keep(endpoint: Endpoint) -> Endpoint:
        ROUTES[method, path] = endpoint, options
        return endpoint

    return keep


NOT_READY = {"application/json": {"schema": {"type": "object", "required": ["error", "message", "parts"]}}}


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
async def health() -> Response:
    """The process is alive; nothing else is looked at."""
    return JSONResponse({"status": "ok"})


@at("GET", "/ready", responses={503: {"description": "not ready", "content": NOT_READY}})
def ready(gate: TheGate) -> Response:
    """Whether requests can be decided now, and if not, what is missing."""
    parts = gate.readiness.parts()
    missing = [part for part, found in parts.items() if found != OK]
    if not missing:
        return JSONResponse({"status": "ready", "parts": parts})
    told = {"error": "unavailable", "message": f"Not ready: {', '.join(missing)}.", "parts": parts}
    return JSONResponse(told, 503, headers={"Retry-After": "5"})


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
    require_record(caller, dataset, wanted.record)
    return decided(decider, seen, decider.decided_one(dataset, RecordRequest(wanted.record, key), caller.id))


def require_record(caller: Key, dataset: str, record: str) -> None:
    """Refuse a record that a key is not for."""
    if not caller.scoped.has_record(dataset, record):
        raise Forbidden(OUTSIDE_RECORD)


def decided(decider: DecisionService, seen: Seen, found: Decided) -> Response:
    """What was decided of one record."""
    return _proved(decider, found, seen, 202 if found.answers[0]["decision"] == WAITING else 200)


@at("POST", "/datasets/{dataset}/batches")
def batch(dataset: DatasetName, batch: Batch, seen: SeenQuery, gate: TheGate, caller: Caller) -> Response:
    """Several records. Against the limits they count as so many requests."""
    if len(batch.requests) > gate.limits.batch:
        raise Invalid(f"A batch may have at most {gate.limits.batch} requests.")
    from_thread.run_sync(gate.pace.count_more, caller.id, len(batch.requests) - 1)
    within = [caller.scoped.has_record(dataset, one.record) for one in batch.requests]
    asked = [
        RecordRequest(one.record, one.key) for one, may in zip(batch.requests, within, strict=True) if may
    ]
    if not asked:
        raise Forbidden(OUTSIDE_RECORD)
    found = gate.decider.decided(dataset, asked, caller.id)
    proved, common = found.proved(gate.decider.database, seen.since)
    left = iter(proved)
    answers = [next(left) if may else {"error": "forbidden"} for may in within]
    return JSONResponse({"answers": answers, **common, **gate.decider.keys.shown(dataset)})


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
    return JSONResponse({**answer, **common, **decider.keys.shown(found.checkpoint.chain)}, status)


@at("GET", "/datasets/{dataset}/checkpoints")
def newest(dataset: ChainName, seen: SeenQuery, decider: TheDecider) -> Response:
    """The newest checkpoint, whose key it is, and who has countersigned which."""
    _, found = decider.newest(dataset).proved(decider.database, seen.since)
    public = decider.secrets.public_pem.decode()
    witnessed = [one.to_dict() for one in read_cosigned(decider.anchors.folder, dataset)]
    shown = decider.keys.shown(dataset)
    return JSONResponse({**found, "public_key": public, "witnessed": witnessed, **shown})


# -- queries ----------------------------------------------------------------------------------------


@at("POST", "/datasets/{dataset}/queries")
def query(
    dataset: DatasetName, wanted: QueryBody, key: Idempotency, seen: SeenQuery, gate: TheGate, caller: Caller
) -> Response:
    """A query of a guarded table: answered or refused, with the proof that the log says so."""
    if caller.scoped.records is not None:
        raise Forbidden(RECORDS_ONLY)
    found = gate.queries.ask(dataset, wanted.query, caller.by.person, key, caller.id)
    return _proved(gate.decider, found, seen)


@at("GET", "/datasets/{dataset}/queries")
def queries(dataset: DatasetName, gate: TheGate) -> Response:
    """What was asked, answered and spent."""
    return JSONResponse(gate.queries.status(dataset))


# -- how things stand -------------------------------------------------------------------------------


@at("GET", "/metrics", response_class=PlainTextResponse)
def collected(gate: TheGate) -> Response:
    found = metrics.text(gate.decider, gate.counters, gate.decisions, gate.readiness.parts())
    return Response(found, media_type=metrics.TYPE)


@at("GET", "/me")
def me(caller: Caller) -> Response:
    """Whose key it is, and what it is for."""
    return JSONResponse(caller.to_dict())


@at("GET", "/datasets")
def datasets(decider: TheDecider, caller: Caller) -> Response:
    """What a key is for: datasets with records to request, and tables to ask queries of."""
    named = {"datasets": decider.datasets(), "guarded_tables": decider.guarded_tables()}
    return JSONResponse({kind: [*filter(caller.scoped.has, names)] for kind, names in named.items()})


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
    """Entries; those of a log that is read-only as well, which ``read_only`` says."""
    entries, fault = decider.log_and_fault(dataset, part.after, part.most)
    return JSONResponse({"entries": entries, "read_only": fault})


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
    answer = decider.propose(dataset, proposal.rules(), *caller.signatory, proposal.changed)
    return _proved(decider, decider.proving(dataset, answer), seen, 201)


@at("GET", "/datasets/{dataset}/policies/{version}/dry-run")
def dry_run(dataset: DatasetName, version: Version, decider: TheDecider) -> Response:
    return JSONResponse(decider.dry_run(dataset, version))


@at("POST", "/datasets/{dataset}/policies/{version}/approval")
def approve(
    dataset: DatasetName, version: Version, seen: SeenQuery, decider: TheDecider, caller: Caller
) -> Response:
    answer = decider.approve(dataset, version, *caller.signatory)
    return _proved(decider, decider.proving(dataset, answer), seen)


# -- keys -------------------------------------------------------------------------------------------


@at("GET", "/keys")
def keys(decider: TheDecider) -> Response:
    return JSONResponse({"keys": [key.to_dict() for key in decider.database.read(all_keys)]})


@at("POST", "/keys", status_code=201)
def new_key(wanted: NewKey, decider: TheDecider, caller: Caller) -> Response:
    if wanted.expires is not None and wanted.expires <= decider.time():
        raise Invalid("The key would have expired already, by the time of the log.")
    try:
        told, key = decider.make_key(by=caller.by.person, by_key=caller.id, **wanted.given())
    except ParameterError as error:  # its words repeat nothing of what was sent
        raise Invalid(str(error)) from None
    return JSONResponse({**key.to_dict(), **({} if told is None else {"key": told})}, 201)


@at("DELETE", "/keys/{key}", status_code=204)
def revoke(key: KeyId, decider: TheDecider, caller: Caller) -> Response:
    decider.revoke_key(key, by=caller.by.person, by_key=caller.id)
    return Response(status_code=204)
