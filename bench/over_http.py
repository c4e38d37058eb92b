"""Decisions over HTTP against bare commits over HTTP: the same clients, requests, server and hand-over."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import uvicorn

from bench.bare_commits import CLIENTS, EACH, SameRows
from bench.http_clients import Answered, Clients, Sent, serving
from divulge.service.decisions.committing.awaited import Awaited
from divulge.service.decisions.decisions import DecisionService
from divulge.service.decisions.off_loop import Leaders, LoopAnswers, LoopWaiter
from divulge.service.http.app import create_app
from divulge.service.http.connection_limits import patient
from divulge.service.http.limits import ServiceLimits

LIMITS = ServiceLimits(per_minute=10**8, in_all=10**8)  # clients ask as fast as they can
ALONE, SENT, BATCH = 100, 4, 500  # requests one by one; batches, and requests of each


class Rate(NamedTuple):
    """Requests a second, the processor time of the server for each in microseconds, and the middle wait."""

    rate: float
    processor: float
    half: float


class OverHttp:
    """A service and its bare counterpart, each with clients of its own for every measurement."""

    def __init__(self, decider: DecisionService, dataset: str) -> None:
        self._decider, self._path = decider, f"/datasets/{dataset}"
        made = [
            decider.make_key(role="requester", name=f"client {one}", by="bench")[0] for one in range(CLIENTS)
        ]
        self._keys = [str(one) for one in made]
        self._length = 0  # of an answer

    def lines(self, first: int, clients: int = CLIENTS, each: int = EACH) -> list[list[Sent]]:
        """So many requests of so many clients, for records from a number on."""
        return [
            [self._sent(first + client * each + one, self._keys[client]) for one in range(each)]
            for client in range(clients)
        ]

    def _sent(self, number: int, key: str) -> Sent:
        return Sent(f"{self._path}/requests", {"record": f"s{number}"}, key, f"http-{number}")

    def decided(self, first: int) -> Rate:
        """Decisions of clients at once."""
        return self._ours(self.lines(first))

    def alone(self, first: int) -> Rate:
        """Decisions of one client."""
        return self._ours(self.lines(first, 1, ALONE))

    def batched(self, first: int) -> Rate:
        """Decisions in batches of one client."""
        bodies = [
            {
                "requests": [
                    {"record": f"s{number}", "key": f"batch-{number}"} for number in range(at, at + BATCH)
                ]
            }
            for at in range(first, first + SENT * BATCH, BATCH)
        ]
        return self._ours([[Sent(f"{self._path}/batches", body, self._keys[0]) for body in bodies]], BATCH)

    def _ours(self, lines: Sequence[Sequence[Sent]], each: int = 1) -> Rate:
        config = _config(create_app(self._decider, LIMITS), patient(LIMITS))
        found, rate = _measured(config, lines, each)
        if each == 1:
            self._length = found.length
        return rate

    def bare(self, same: SameRows, synced: Path, first: int) -> Rate:
        """The same requests, of which only the rows are written that decisions on them have written.

        Request and body are read, the body is parsed, rows and file are synced, and an answer goes out that
        is as long.
        """
        config = _config(_Bare(same, synced, first, self._length), "h11")
        return _measured(config, self.lines(first))[1]


def _config(app: Any, http: Any) -> uvicorn.Config:
    """As ``divulge release serve`` has it."""
    return uvicorn.Config(
        app,
        http=http,
        ws="none",
        lifespan="off",
        access_log=False,
        log_level="warning",
        server_header=False,
        proxy_headers=False,
    )


def _measured(
    config: uvicorn.Config, lines: Sequence[Sequence[Sent]], each: int = 1
) -> tuple[Answered, Rate]:
    with serving(config) as port:
        clients = Clients(port, lines)
        began = time.process_time()
        found = clients.answered()
        used = time.process_time() - began
    number = each * sum(map(len, lines))
    half = float(np.median(found.each)) * 1000
    return found, Rate(number / found.seconds, used / number * 1e6, half)


class _Bare:
    """An application without a framework: it hands rows over as the service does, and decides nothing."""

    def __init__(self, same: SameRows, synced: Path, first: int, length: int) -> None:
        self._queue, self._first = same.queue(synced), first
        self._telling = LoopAnswers()
        self._pool = Leaders(self._telling)
        self._answer = json.dumps("x" * length).encode()[:length]
        self._headers = [
            (b"content-type", b"application/json"),
            (b"content-length", str(len(self._answer)).encode()),
        ]

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        body, more = b"", True
        while more:
            message = await receive()
            body, more = body + message["body"], message["more_body"]
        asked = LoopWaiter.now()
        number = int(json.loads(body)["record"][1:]) - self._first
        Awaited(
            number, self._queue, self._pool, lambda piece: self._telling.tell(asked, None, piece.error)
        ).enter()
        await asked.future
        await send({"type": "http.response.start", "status": 200, "headers": self._headers})
        await send({"type": "http.response.body", "body": self._answer})
