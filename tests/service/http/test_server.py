"""The service as a process: what it prints, and how it stops."""

import json
import socket
import threading
import time
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

import httpx
import pytest
import uvicorn

from divulge.errors import SourceError
from divulge.service.decisions.decisions import RecordRequest
from divulge.service.http.server import serve, sign_all
from divulge.service.ledger.checkpoints import Checkpoint
from divulge.service.store.database import open_database
from service.doors_helpers import AT, Server, house, server
from service.scene import NAME, Scene


@dataclass
class Run:
    """What came of a service that was asked for things and stopped while it decided others."""

    running: Server
    folder: Any
    first: dict[str, Any]
    statuses: list[int]
    crowded: list[int]
    last: list[httpx.Response]
    printed: str

    def signed(self, chain):
        lines = (self.folder / "checkpoints" / f"{chain}.checkpoints").read_text().splitlines()
        return [Checkpoint.of_dict(json.loads(line)) for line in lines]


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("run")
    with server(folder) as running, httpx.Client(base_url=running.url, timeout=60) as client:
        requester = {"Authorization": f"Bearer {running.keys['requester']}"}
        keyed = {**requester, "Idempotency-Key": "a-key-of-mine"}
        first = client.post(f"{AT}/requests", json={"record": "p0"}, headers=keyed).json()
        ticket = f"{AT}/requests/{first['ticket']}"
        answers = [
            client.get(ticket, headers=requester),
            client.get(f"{ticket}?secret-query"),
            client.get("/secret-path", headers=requester),
            client.post(f"{AT}/batches", content=b"secret-body", headers=requester),
        ]
        with socket.create_connection(("127.0.0.1", running.port)) as connection:
            connection.sendall(b"secret-line\r\n\r\n")
            connection.recv(1000)
        with ExitStack() as idle:
            for _ in range(300):
                idle.enter_context(socket.create_connection(("127.0.0.1", running.port)))
            crowded = [httpx.get(f"{running.url}/health").status_code, client.get("/").status_code]
        last = []
        lines = [{"record": f"p{number % 60}", "key": f"k{number}"} for number in range(1000)]

        def batch():
            last.append(client.post(f"{AT}/batches", json={"requests": lines}, headers=requester))

        under_way = threading.Thread(target=batch)
        under_way.start()
        time.sleep(0.2)
        printed = running.stop()
        under_way.join()
        yield Run(running, folder, first, [answer.status_code for answer in answers], crowded, last, printed)


def test_it_prints_nothing_of_who_asked_for_what(run):
    assert run.statuses == [200, 401, 404, 422]
    assert "Invalid HTTP request" in run.printed
    for hidden in ("secret", "p0", run.first["ticket"], run.first["record"]["word"], "a-key-of-mine", AT):
        assert hidden not in run.printed
    for key in run.running.keys.values():
        assert not [part for part in key.split(".") if part in run.printed]


def test_three_hundred_idle_connections_deny_nobody(run):
    assert run.crowded == [200, 200]


def test_requests_under_way_are_answered_before_it_stops(run):
    assert [answer.status_code for answer in run.last] == [200]


def test_it_signs_where_it_stopped_and_can_be_started_again(run):
    decider = run.running.scene.place.open()
    (last,) = run.signed(NAME)[-1:]
    assert (last.count, last.head) == (decider.status(NAME)["entries"], decider.status(NAME)["hash"])
    assert last.head == run.last[0].json()["answers"][-1]["hash"]
    assert len(run.signed("service")) == 5  # one for each key, and one at the end
    assert decider.behind == {}
    again = decider.request(NAME, RecordRequest("p0", "a-key-of-mine"), run.running.keys["requester"][:12])
    assert again["hash"] == run.first["hash"]
    decider.database.close()


def test_a_log_that_is_older_than_what_was_signed_is_not_signed_again(tmp_path):
    with house(tmp_path) as made:
        before = {chain: made.decider.anchors.kept(chain) for chain in (NAME, "service")}
        made.decider.behind[NAME] = "older"
        sign_all(made.decider)
        assert made.decider.anchors.kept(NAME) == before[NAME]
        assert len(made.decider.anchors.kept("service")) == len(before["service"]) + 1


def test_a_service_without_keys_has_its_datasets_signed(tmp_path):
    decider = Scene.make(str(tmp_path / "service.db"), tmp_path).place.open()
    sign_all(decider)
    assert [len(decider.anchors.kept(chain)) for chain in (NAME, "service")] == [2, 0]  # loaded, stopped
    decider.database.close()


@pytest.mark.parametrize("port", ["taken", 1 << 20])
def test_a_port_that_cannot_be_had_is_an_error_and_closes_the_decider(tmp_path, port):
    with house(tmp_path) as made, socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1] if port == "taken" else port
        with pytest.raises(SourceError, match=f"cannot listen on 127.0.0.1, port {port}: "):
            serve(made.decider, port=port)
        open_database(made.decider.database.name).close()  # nobody else has it open


def test_what_decisions_need_is_worked_out_before_anybody_is_answered(tmp_path, monkeypatch):
    prepared = []

    def run(_, sockets):
        prepared.append(sorted(made.decider._held))
        sockets[0].close()

    monkeypatch.setattr(uvicorn.Server, "run", run)
    with house(tmp_path) as made:
        serve(made.decider, port=0)
    assert prepared == [[NAME]]
