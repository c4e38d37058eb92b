"""A witness as a process: checkpoints come in over HTTP, and go out with its signature."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from divulge.service.http.bodies import read
from divulge.service.http.connection_limits import patient
from divulge.service.http.limits import ServiceLimits
from divulge.service.http.problems import answer_to
from divulge.service.http.server import address_of, listen
from divulge.service.ledger.cosignatures import Cosigned
from divulge.service.ledger.witness import Witness

BODY = 65_536  # bytes of a checkpoint with its proof


def create_witness(witness: Witness, alarm: Callable[[str], None] = lambda sentence: None) -> Starlette:
    """Everything that can be asked of a witness; nobody needs a key, since the holder's signature is one."""
    limits = ServiceLimits(body=BODY)

    async def countersign(request: Request) -> Response:
        try:
            given = await (await read(request, True, limits)).json()
            found = await run_in_threadpool(witness.countersign, given if isinstance(given, dict) else {})
        except Exception as error:
            return answer_to(error)
        if isinstance(found, Cosigned):
            return JSONResponse(found.to_dict())
        if found.contradicts:
            alarm(found.sentence)
        code = "contradiction" if found.contradicts else "conflict"
        return JSONResponse({"error": code, "message": found.sentence}, 409)

    async def last(request: Request) -> Response:
        found = await run_in_threadpool(witness.last, request.path_params["chain"])
        if found is None:
            return JSONResponse({"error": "not_found", "message": "Nothing was seen of this log."}, 404)
        return JSONResponse(found.to_dict())

    async def public_key(_: Request) -> Response:
        return PlainTextResponse(witness.public_pem)

    return Starlette(
        routes=[
            Route("/checkpoints", countersign, methods=["POST"]),
            Route("/checkpoints/{chain}", last, methods=["GET"]),
            Route("/public-key", public_key, methods=["GET"]),
        ]
    )


def serve_witness(
    witness: Witness,
    host: str,
    port: int,
    *,
    announce: Callable[[str], None] = lambda url: None,
    alarm: Callable[[str], None] = lambda sentence: None,
) -> None:
    """Answer until told to stop by a signal; ``alarm`` is told of logs that contradict each other."""
    limits = ServiceLimits(body=BODY)
    listening = listen(host, port)
    options: dict[str, Any] = {"ws": "none", "lifespan": "off", "access_log": False, "log_level": "warning"}
    config = uvicorn.Config(
        create_witness(witness, alarm),
        http=patient(limits),
        server_header=False,
        proxy_headers=False,
        **options,
    )
    announce(address_of(listening))
    uvicorn.Server(config).run([listening])
