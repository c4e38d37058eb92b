"""A service with its doors open, and clients that come to them."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

import anyio
import httpx
from anyio.from_thread import BlockingPortal, start_blocking_portal
from fastapi import FastAPI

from divulge.service.decisions.decisions import DecisionService
from divulge.service.decisions.keys import KeyRole
from divulge.service.http.app import create_app
from divulge.service.http.limits import ServiceLimits
from service.scene import NAME, Scene, dataset, people

PAST = "2001-01-01T00:00:00.000000+00:00"
PATIENT = ServiceLimits(
    per_minute=10**9, in_all=10**9, strangers=10**9, at_once=10**6, pause=1e-9
)  # nobody is refused for haste
AT = f"/datasets/{NAME}"
# A request for every route that goes through for whoever may, or is refused for another reason than the role.
SAMPLES: dict[tuple[str, str], dict[str, Any]] = {
    ("POST", "/datasets/{dataset}/requests"): {"json": {"record": "p0"}, "headers": {"Idempotency-Key": "a"}},
    ("POST", "/datasets/{dataset}/batches"): {"json": {"requests": [{"record": "p0", "key": "b"}]}},
    ("POST", "/datasets/{dataset}/queries"): {
        "json": {"query": "SELECT COUNT(*) FROM patients"},
        "headers": {"Idempotency-Key": "c"},
    },
    ("POST", "/datasets/{dataset}/policies"): {"json": {"tests": ["mis"], "alpha": 0.1, "samples": 200}},
    ("POST", "/keys"): {"json": {"role": "auditor", "name": "somebody"}},
}
PLACES = {"dataset": NAME, "ticket": "A" * 16, "version": "1", "key": "0" * 12}


@dataclass
class House:
    """An application, its decider, and a key of every role, told."""

    decider: DecisionService
    app: FastAPI
    portal: BlockingPortal
    keys: dict[str, str] = field(default_factory=dict)
    numbers: Iterator[int] = field(default_factory=count)

    def new_key(self, role: str, expires: str | None = None, **more: Any) -> str:
        """A key of somebody who had none before, unless a person is given."""
        given = {"person": f"{role} number {next(self.numbers)}", **more}
        return self.decider.make_key(role=role, name=role, by="holder", expires=expires, **given)[0] or ""

    def revoke(self, told: str) -> None:
        self.decider.revoke_key(told.partition(".")[0], by="holder")

    def ask(self, method: str, path: str, by: str | None = None, **given: Any) -> httpx.Response:
        """One request; ``by`` is a role, or a key as it was told."""
        return self.portal.call(self.asked, method, path, by, given)

    async def asked(self, method: str, path: str, by: str | None, given: dict[str, Any]) -> httpx.Response:
        headers = httpx.Headers(given.pop("headers", {}))
        if by is not None:
            headers["Authorization"] = f"Bearer {self.keys.get(by, by)}"
        transport = httpx.ASGITransport(self.app)
        async with httpx.AsyncClient(transport=transport, base_url="http://service") as client:
            return await client.request(method, path, headers=headers, **given)

    def sample(self, method: str, path: str, by: str | None = None) -> httpx.Response:
        """The sample request of a route."""
        return self.ask(method, path.format(**PLACES), by, **SAMPLES.get((method, path), {}))

    def outside(self) -> int:
        return self.decider.status(NAME)["outside"]


@contextmanager
def house(folder: Path, limits: ServiceLimits = PATIENT, url: str | None = None) -> Iterator[House]:
    """A service on a database of its own: a file, if nothing else is said."""
    given = dataset(people(60), "mis,kld")
    decider = Scene.make(url or str(folder / "service.db"), folder, given).place.open()
    with start_blocking_portal() as portal:
        made = House(decider, create_app(decider, limits), portal)
        made.keys |= {role.value: made.new_key(role.value) for role in KeyRole}
        yield made
    decider.database.close()


@dataclass
class Told:
    """What an application answered to a request made by hand, and how much of the request it took."""

    status: int = 0
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b""
    taken: int = 0  # chunks of the body


async def by_hand(app: FastAPI, path: str, headers: dict[str, str], chunk: bytes, chunks: int) -> Told:
    """A POST whose body comes in chunks, as many as are asked for up to a number."""
    told = Told()

    async def receive() -> dict[str, Any]:
        await anyio.sleep(0)
        told.taken += 1
        return {"type": "http.request", "body": chunk, "more_body": told.taken < chunks}

    async def send(message: Any) -> None:
        if message["type"] == "http.response.start":
            told.status = message["status"]
            told.headers = {name.decode(): value.decode() for name, value in message["headers"]}
        told.body += message.get("body", b"")

    scope = {
        "type": "http",
        "method": "POST",
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "root_path": "",
        "scheme": "http",
        "http_version": "1.1",
        "headers": [(name.lower().encode(), value.encode()) for name, value in headers.items()],
    }
    await app(scope, receive, send)
    return told


SERVER = """
import sys
from divulge.service.http.limits import ServiceLimits
from divulge.service.operations.locations import ServiceLocations
from divulge.service.http.server import serve
decider = ServiceLocations.of(sys.argv[1], sys.argv[2], sys.argv[3]).open()
limits, proxies = ServiceLimits(**eval(sys.argv[4])), eval(sys.argv[5])
serve(decider, port=0, limits=limits, proxies=proxies, announce=lambda url: print(url, flush=True))
"""


@dataclass
class Server:
    """The service as a process of its own."""

    process: subprocess.Popen[str]
    url: str
    keys: dict[str, str]
    scene: Scene

    @property
    def port(self) -> int:
        return int(self.url.rpartition(":")[2])

    def stop(self) -> str:
        """Stop it as an operator would, and say what it printed."""
        self.process.terminate()
        printed, complained = self.process.communicate(timeout=60)
        return printed + complained


@contextmanager
def server(folder: Path, proxies: Sequence[str] = (), **limits: Any) -> Iterator[Server]:
    """A service that listens on a port of this machine."""
    scene = Scene.make(str(folder / "service.db"), folder)
    place = scene.place
    decider = place.open()
    made = House(decider, FastAPI(), None)  # type: ignore[arg-type]
    keys = {role.value: made.new_key(role.value) for role in KeyRole}
    decider.database.close()
    arguments = [place.url, str(place.keys), str(place.anchors), repr(limits), repr(proxies)]
    process = subprocess.Popen(
        [sys.executable, "-c", SERVER, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout is not None
        yield Server(process, process.stdout.readline().strip(), keys, scene)
    finally:
        process.kill()
        process.communicate()
