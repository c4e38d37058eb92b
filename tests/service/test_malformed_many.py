"""Requests that are wrong in ways nobody thought of, by the thousand: none breaks the service."""

import json
import socket
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from threading import Thread

import pytest

from divulge.service.http import bodies
from divulge.service.http.problems import STATUSES
from service.doors_helpers import house, server
from service.malformed_requests import MARK, Malformed
from service.scene import NAME

SLICES, REFUSED, RAW = 10, 4_600, 5_000  # of the long run: refused in each slice, sent over sockets


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    with house(tmp_path_factory.mktemp("many")) as made:
        yield made


async def answered(app, sent):
    """Status, headers and body that an application gives to a request."""
    found, given = [], [{"type": "http.request", "body": sent.body}]

    async def receive():
        return given.pop() if given else {"type": "http.disconnect"}

    async def send(message):
        found.append(message)

    await app(sent.scope(), receive, send)
    body = b"".join(one.get("body", b"") for one in found)
    return found[0]["status"], dict(found[0]["headers"]), body


def refused(made, number, seed):
    """How many requests of each status it took until so many were refused."""
    found = Counter()

    async def run():
        for sent in Malformed(made.keys, seed):
            status, headers, body = await answered(made.app, sent)
            found[status] += 1
            assert status < 500, sent
            assert b"content-security-policy" in headers, sent
            if status >= 400:
                told = json.loads(body)
                assert set(told) == {"error", "message"}, sent
                assert STATUSES[told["error"]] == status, sent
                assert MARK not in told["message"], sent
            if sum(one for code, one in found.items() if code >= 400) >= number:
                return

    made.portal.call(run)
    return found


def is_whole(made):
    """Whether everything is as it should be after that, and the log what it was."""
    assert not made.decider.behind
    assert made.ask("GET", f"/datasets/{NAME}", "steward").status_code == 200
    return set(made.ask("GET", "/ready").json()["parts"].values()) == {"ok"}


def test_no_malformed_request_breaks_the_service(made):
    found = refused(made, 250, seed=0)
    assert {400 <= code < 500 for code in found} == {True, False}  # some are right after all
    assert set(found) >= {401, 404, 422}
    assert is_whole(made)


def test_a_request_that_breaks_the_service_would_be_seen(made, monkeypatch):
    monkeypatch.setattr(bodies, "_check", lambda value, depth: 1 / 0)
    with pytest.raises(AssertionError, match="503 < 500"):
        refused(made, 400, seed=0)


@pytest.mark.slow
@pytest.mark.parametrize("part", range(SLICES))
def test_no_malformed_request_of_very_many_breaks_the_service(made, part):
    found = refused(made, REFUSED, seed=1000 + part)
    print(f"malformed requests by status: {dict(sorted(found.items()))}")
    assert is_whole(made)


@pytest.mark.slow
def test_no_malformed_bytes_of_very_many_break_the_service(tmp_path):
    limits = {"patience": 0.2, "at_once": 64, "pause": 1e-9}
    with server(tmp_path, per_minute=10**9, strangers=10**9, in_all=10**9, **limits) as running:
        printed = []
        reading = Thread(target=lambda: printed.append(running.process.stderr.read()))  # or it would fill up
        reading.start()
        found = sent_over_sockets(running.port, Malformed(running.keys, 7), RAW, wait=30, at_once=16)
        print(f"malformed requests over sockets by status: {dict(sorted(found.items()))}")
        running.process.terminate()
        reading.join()
        assert not [status for status in found if status >= 500]
        assert set(printed[0].splitlines()) == {"WARNING:  Invalid HTTP request received."}


def sent_over_sockets(port, source, number, wait, at_once):
    """What so many malformed requests were answered, each on a connection of its own; 0 where nothing was."""

    def sent(raw):
        try:
            with socket.create_connection(("127.0.0.1", port), timeout=wait) as connection:
                connection.sendall(raw)
                answer = connection.recv(1000)
        except OSError:  # it waits for more, or has heard enough
            return 0
        return int(answer.split()[1]) if answer.startswith(b"HTTP/1.1 ") else 0

    with ThreadPoolExecutor(at_once) as threads:
        found = Counter(threads.map(sent, islice(source.raw(), number)))
    assert found[0] < number / 2
    return found
